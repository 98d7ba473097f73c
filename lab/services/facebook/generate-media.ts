import type { Random } from '../../base/random.ts'
import { type Acquaintance, type Place, places, sentences, titles } from '../../data/vocabulary.ts'
import type { Reactions } from './generate-posts.ts'

export type PhotoFields = ReturnType<typeof photoFields> & Reactions & { albumId?: string }
export type VideoFields = ReturnType<typeof videoFields> & Reactions
export type EventFields = ReturnType<typeof eventFields>
export type PageFields = ReturnType<typeof pageFields>

export interface AlbumFields extends Record<string, unknown> {
  name: string
  type: 'profile' | 'mobile' | 'normal'
  description?: string
  place?: Place
}

export function photoFields(random: Random, from: Acquaintance, tagged: Acquaintance[], atMs: number) {
  const [width, height] = random.pick([
    [2048, 1536],
    [1536, 2048],
    [1080, 1080],
  ] as const)
  return {
    from,
    ...(random.chance(0.75) ? { name: random.pick(sentences) } : {}),
    ...(random.chance(0.35) ? { place: random.pick(places) } : {}),
    width,
    height,
    hue: random.int(0, 359),
    altText: 'May be an image of outdoors',
    tags: tagged.map((person) => ({ person, x: random.int(1, 9999) / 100, y: random.int(1, 9999) / 100, atMs })),
  }
}

export function videoFields(random: Random, from: Acquaintance) {
  return {
    from,
    ...(random.chance(0.4) ? { title: random.pick(titles) } : {}),
    ...(random.chance(0.7) ? { description: random.pick(sentences) } : {}),
    ...(random.chance(0.25) ? { place: random.pick(places) } : {}),
    seconds: random.int(30, 4000) / 10,
    hue: random.int(0, 359),
  }
}

export const albums: AlbumFields[] = [
  { name: 'Profile pictures', type: 'profile' },
  { name: 'Mobile uploads', type: 'mobile' },
  { name: 'Été 🌞', type: 'normal', description: 'Everything between June and the first rain.', place: places[4]! },
  { name: 'Doors', type: 'normal', description: 'Closed and otherwise.' },
  { name: '東京', type: 'normal', place: places[9]! },
]

export function eventFields(random: Random, startMs: number, circle: readonly Acquaintance[]) {
  return {
    name: `${random.pick(titles)} (${random.pick(['evening', 'reading', 'dinner 🍲', 'concert', 'вечер'])})`,
    ...(random.chance(0.8) ? { description: random.pick(sentences) } : {}),
    startMs,
    ...(random.chance(0.6) ? { endMs: startMs + random.int(1, 6) * 3_600_000 } : {}),
    ...(random.chance(0.7) ? { place: random.pick(places) } : {}),
    rsvp: random.pick(['attending', 'attending', 'unsure', 'declined', 'not_replied', 'created'] as const),
    owner: random.pick(circle),
    isCanceled: random.chance(0.05),
    isOnline: random.chance(0.2),
  }
}

const categories = ['Musician/band', 'Bakery', 'Newspaper', 'Sports team', 'Museum', 'Public figure']

export const pageFields = (random: Random, pageId: string, at: number) => ({
  pageId,
  name: `${random.pick(titles)} ${at + 1}`,
  category: random.pick(categories),
  ...(random.chance(0.7) ? { about: random.pick(sentences) } : {}),
  fans: random.int(10, 2_000_000),
})
