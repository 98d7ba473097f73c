import type { Random } from '../../base/random.ts'
import type { CrossPost } from '../../data/cross-posts.ts'
import { type Acquaintance, comments, sentences, titles } from '../../data/vocabulary.ts'
import { type Venue, venueAt } from './venues.ts'

export interface PhotoFields extends Record<string, unknown> {
  checkinId?: string
  venue: Venue
  width: number
  height: number
  hue: number
  visibility: 'public' | 'friends'
}

export interface CheckinFields extends Record<string, unknown> {
  type: 'checkin' | 'venueless'
  /** Absent for a venueless check-in, which has only `location`. */
  venue?: Venue
  location?: { lat: number; lng: number; name?: string }
  shout?: string
  withPeople: Acquaintance[]
  likers: Acquaintance[]
  comments: { id: string; from: Acquaintance; text: string; atMs: number }[]
  photoIds: string[]
  isPrivate: boolean
  isMayor: boolean
  timeZoneOffset: number
  source: { name: string; url: string }
  shortcode?: string
}

export interface TipFields extends Record<string, unknown> {
  text: string
  venue: Venue
  agreeCount: number
  url?: string
}

export interface ListFields extends Record<string, unknown> {
  name: string
  description: string
  isCollaborative: boolean
  followers: number
  entries: { venue: Venue; createdAtMs: number }[]
}

interface GenerateInput {
  random: Random
  circle: readonly Acquaintance[]
  venues: readonly Venue[]
  createdAtMs: number
  nowMs: number
  nextId: () => string
}

export const swarm = { name: 'Swarm for iOS', url: 'https://www.swarmapp.com' }

export const blankCheckin = (venue: Venue): CheckinFields => ({
  type: 'checkin',
  venue,
  withPeople: [],
  likers: [],
  comments: [],
  photoIds: [],
  isPrivate: false,
  isMayor: false,
  timeZoneOffset: 0,
  source: swarm,
})

export function checkinFields(input: GenerateInput): CheckinFields {
  const { random, circle, venues, createdAtMs, nowMs, nextId } = input
  const venue = random.pick(venues)
  const withPeople = random.chance(0.2) ? random.some(circle, random.int(1, 3)) : []
  const shout = [random.pick(sentences), ...withPeople.map(({ name }) => name.split(' ')[0])].join(' ')
  const talkers = random.chance(0.3) ? random.some(circle, random.int(1, 4)) : []
  const fields: CheckinFields = {
    ...blankCheckin(venue),
    ...(random.chance(0.5) ? { shout } : {}),
    withPeople,
    likers: random.some(circle, random.int(0, 6)),
    comments: talkers.map((from, at) => ({
      id: nextId(),
      from,
      text: random.pick(comments),
      atMs: Math.min(nowMs, createdAtMs + (at + 1) * 300_000),
    })),
    isPrivate: random.chance(0.05),
    isMayor: random.chance(0.1),
    timeZoneOffset: random.pick([-240, 0, 60, 180, 540, 720]),
    source: random.pick([swarm, { name: 'Swarm for Android', url: 'https://www.swarmapp.com' }]),
  }
  if (!random.chance(0.02)) return fields
  // Histories still contain old check-ins without a venue.
  const { venue: _venue, ...rest } = fields
  return { ...rest, type: 'venueless', location: { lat: venue.lat, lng: venue.lng, name: 'Somewhere' } }
}

export const crossCheckin = (input: GenerateInput, cross: CrossPost): CheckinFields => ({
  ...blankCheckin(venueAt(cross.place)),
  shout: cross.text,
  likers: input.random.some(input.circle, 3),
  shortcode: cross.shortcode,
})

export const photoFields = (random: Random, venue: Venue, checkinId?: string): PhotoFields => ({
  ...(checkinId === undefined ? {} : { checkinId }),
  venue,
  width: random.pick([1920, 1440]),
  height: 1440,
  hue: random.int(0, 359),
  visibility: random.pick(['public', 'public', 'friends'] as const),
})

export const tipFields = (random: Random, venue: Venue): TipFields => ({
  text: random.pick(sentences),
  venue,
  agreeCount: random.int(0, 30),
  ...(random.chance(0.2) ? { url: 'https://reading.test/tip' } : {}),
})

export const listFields = (random: Random, venues: readonly Venue[], createdAtMs: number, at: number): ListFields => ({
  name: titles[at % titles.length] ?? 'A list',
  description: at % 2 === 0 ? random.pick(sentences) : '',
  isCollaborative: random.chance(0.3),
  followers: random.int(0, 40),
  entries: random
    .some(venues, random.int(3, 12))
    .map((venue, nth) => ({ venue, createdAtMs: createdAtMs + nth * 60_000 })),
})
