import { kind, timeOf } from '#kit/read/kind.ts'
import { authorOf, placeOf } from './reading.ts'
import type { Event, Friend, LikedPage } from './shapes.ts'

export const contact = kind<Friend>({
  name: 'contact',
  id: (one) => one.id,
  map: {
    name: (one) => one.name,
    photo: (one) => one.picture?.data?.url,
    url: (one) => `https://www.facebook.com/${one.id}`,
  },
  card: { id: (one) => one.id },
})

/** A page that the person likes; `created_time` is the time of the like. */
export const page = kind<LikedPage>({
  name: 'page',
  id: (one) => one.id,
  at: (one) => timeOf(one.created_time),
  map: { name: (one) => one.name, url: (one) => `https://www.facebook.com/${one.id}` },
})

export const event = kind<Event>({
  name: 'event',
  id: (one) => one.id,
  at: (one) => timeOf(one.start_time),
  participants: (one) => ({ author: one.owner?.id }),
  place: (one) => placeOf(one.place),
  map: {
    name: (one) => one.name,
    text: (one) => one.description,
    author: (one) => authorOf(one.owner),
    url: (one) => `https://www.facebook.com/events/${one.id}`,
    image: (one) => one.cover?.source,
    place: (one) => one.place?.name,
    starts: (one) => timeOf(one.start_time),
    ends: (one) => timeOf(one.end_time),
  },
  card: { description: (one) => one.description },
})
