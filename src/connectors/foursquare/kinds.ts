import { linkKeys } from '#kit/read/dedupe-keys.ts'
import { kind } from '#kit/read/kind.ts'
import type { BaseType } from '#model/items/types.ts'
import { authorOf, imageUrl, placeOf, profileUrl, seconds } from './people.ts'
import type { Checkin, List, Photo, TipEntry, Venue, Visit } from './shapes.ts'

const dedupeKey = (id: string | undefined): string | undefined => id && `guid:foursquare/#${id}`

function checkinTypes({ type, venue, location, photos }: Checkin): BaseType[] {
  const isShout = type === 'shout' && venue === undefined && location === undefined
  return [isShout ? 'statuses' : 'checkins', ...(photos?.items?.length ? (['photos'] as const) : [])]
}

const placeName = ({ venue, location }: Checkin): string | undefined => venue?.name ?? location?.name
/** With several, the check-in is more than any of them. */
const onlyPhoto = ({ photos }: Checkin): Photo | undefined =>
  photos?.items?.length === 1 ? photos.items[0] : undefined
const firstPhoto = ({ photos }: Checkin): Photo | undefined => photos?.items?.[0]

function pageOf({ id, canonicalUrl, checkinShortUrl, user }: Checkin): string | undefined {
  const ofUser = user?.id === undefined ? undefined : `https://www.swarmapp.com/user/${user.id}/checkin/${id}`
  return canonicalUrl ?? checkinShortUrl ?? ofUser
}

const likersOf = (liked: Pick<Checkin, 'likes'> | undefined): (string | undefined)[] =>
  (liked?.likes?.groups ?? []).flatMap(({ items }) => items ?? []).map((user) => user.id)

export const checkin = kind<Checkin>({
  name: 'checkin',
  id: (one) => one.id,
  at: (one) => seconds(one.createdAt),
  types: checkinTypes,
  guid: (one) => [dedupeKey(one.id), dedupeKey(onlyPhoto(one)?.id), ...linkKeys([pageOf(one)], [])],
  participants: (one) => ({
    author: one.user?.id,
    others: [
      ...(one.comments?.items ?? []).map(({ user }) => user?.id),
      ...likersOf(one),
      ...(one.with ?? []).map(({ id }) => id),
      ...(one.entities ?? []).filter(({ type }) => type === 'user').map(({ id }) => id),
    ],
  }),
  place: (one) => placeOf(one.venue?.location ?? one.location),
  map: {
    name: placeName,
    text: (one) => one.shout,
    author: (one) => authorOf(one.user),
    url: pageOf,
    image: (one) => imageUrl(firstPhoto(one), 'original'),
    earliest: (one) => seconds(one.createdAt),
    place: placeName,
    counts: (one) => ({ likes: one.likes?.count, comments: one.comments?.count }),
  },
  card: {
    description: (one) => one.shout,
    provider_url: pageOf,
  },
  cards: {
    photos: {
      thumbnail_url: (one) => imageUrl(firstPhoto(one), '300x300'),
      width: (one) => firstPhoto(one)?.width,
      height: (one) => firstPhoto(one)?.height,
    },
  },
})

export const photo = kind<Photo>({
  name: 'photo',
  id: (one) => one.id,
  at: (one) => seconds(one.createdAt),
  guid: (one) => [dedupeKey(one.id)],
  participants: (one) => ({ author: one.user?.id }),
  place: (one) => placeOf(one.venue?.location),
  map: {
    name: (one) => one.venue?.name,
    text: (one) => one.tip?.text,
    author: (one) => authorOf(one.user),
    url: (one) => imageUrl(one, 'original'),
    image: (one) => imageUrl(one, 'original'),
    media: (one) => imageUrl(one, 'original'),
    earliest: (one) => seconds(one.createdAt),
    place: (one) => one.venue?.name,
  },
  card: {
    description: (one) => one.tip?.text,
    thumbnail_url: (one) => imageUrl(one, '300x300'),
    width: (one) => one.width,
    height: (one) => one.height,
  },
})

export const tip = kind<TipEntry>({
  name: 'tip',
  id: ({ id, tip: inner }) => inner?.id ?? id,
  at: ({ tip: inner, createdAt }) => seconds(inner?.createdAt ?? createdAt),
  types: ({ tip: inner }) => ['statuses', ...(inner?.photo ? (['photos'] as const) : [])],
  participants: ({ tip: inner }) => ({ author: inner?.user?.id, others: likersOf(inner) }),
  place: ({ venue }) => placeOf(venue?.location),
  map: {
    name: ({ venue }) => venue?.name,
    text: ({ tip: inner }) => inner?.text,
    author: ({ tip: inner }) => authorOf(inner?.user),
    url: ({ tip: inner }) => inner?.canonicalUrl,
    urls: ({ tip: inner }) => (inner?.url === undefined ? undefined : [inner.url]),
    image: ({ tip: inner }) => imageUrl(inner?.photo, 'original'),
    place: ({ venue }) => venue?.name,
    counts: ({ tip: inner }) => ({ likes: inner?.likes?.count }),
  },
  card: { description: ({ tip: inner }) => inner?.text, provider_url: ({ tip: inner }) => inner?.canonicalUrl },
  cards: {
    photos: {
      thumbnail_url: ({ tip: inner }) => imageUrl(inner?.photo, '300x300'),
      width: ({ tip: inner }) => inner?.photo?.width,
      height: ({ tip: inner }) => inner?.photo?.height,
    },
  },
})

const venuePage = (venue: Venue | undefined): string | undefined =>
  venue?.canonicalUrl ?? (venue?.id === undefined ? undefined : `https://foursquare.com/v/${venue.id}`)

export const venue = kind<Venue>({
  name: 'venue',
  id: (one) => one.id,
  place: (one) => placeOf(one.location),
  map: { name: (one) => one.name, url: venuePage, place: (one) => one.name },
  card: { website: (one) => one.url },
})

export const visit = kind<Visit>({
  name: 'venue',
  id: (one) => one.venue.id,
  at: (one) => seconds(one.lastHereAt),
  place: (one) => placeOf(one.venue.location),
  map: { name: (one) => one.venue.name, url: (one) => venuePage(one.venue), place: (one) => one.venue.name },
})

export const list = kind<List>({
  name: 'list',
  id: (one) => one.id,
  at: (one) => seconds(one.updatedAt ?? one.createdAt),
  participants: (one) => ({ author: one.user?.id }),
  map: {
    name: (one) => one.name,
    text: (one) => one.description,
    author: (one) => authorOf(one.user),
    url: (one) => one.canonicalUrl ?? profileUrl(one.user),
    image: (one) => imageUrl(one.photo, 'original'),
    earliest: (one) => seconds(one.createdAt),
  },
  card: { description: (one) => one.description },
})
