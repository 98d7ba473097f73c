import { createHash } from 'node:crypto'
import type { Person } from '../../base/people.ts'
import type { Random } from '../../base/random.ts'
import { crossPosts } from '../../data/cross-posts.ts'
import { createItemStore, type ItemStore } from '../../data/item-store.ts'
import { momentsBack } from '../../data/moments.ts'
import { type Acquaintance, acquaintances } from '../../data/vocabulary.ts'
import { checkinFields, crossCheckin, listFields, photoFields, tipFields } from './generate.ts'
import { makeVenues, type Venue } from './venues.ts'

export const kinds = ['checkins', 'photos', 'tips'] as const
export type Kind = (typeof kinds)[number] | 'lists' | 'venuelikes'

export interface FoursquareData {
  store: ItemStore
  venues: readonly Venue[]
  allPeople: readonly Acquaintance[]
  friendsOf(username: string): readonly Acquaintance[]
  nextId: () => string
}

const hourMs = 3_600_000

export function createFoursquareData(parts: { people: Person[]; random: Random; nowMs: number }): FoursquareData {
  const { people, random, nowMs } = parts
  const store = createItemStore()
  const venues = makeVenues(random.fork('venues'))
  const others = acquaintances(45, (at) => String(3_100_000 + at * 97))
  const allPeople: Acquaintance[] = [...people, ...others]
  let sequence = 0
  const nextId = () =>
    createHash('md5')
      .update(`foursquare ${(sequence += 1)}`)
      .digest('hex')
      .slice(0, 24)
  const friends = new Map(
    people.map((person) => [
      person.username,
      person.activity === 0
        ? []
        : [
            ...people.filter(({ id, activity }) => id !== person.id && activity > 0),
            ...random.fork(`friends ${person.username}`).some(others, 30),
          ],
    ]),
  )
  for (const one of allPeople) {
    const activity = people.find(({ id }) => id === one.id)?.activity
    if (activity !== 0) fill(one, activity ?? 6)
  }

  function fill(owner: Acquaintance, activity: number): void {
    const own = random.fork(owner.username)
    const circle = friends.get(owner.username) ?? own.some(others, 10)
    const isCast = friends.has(owner.username)
    const inputFor = (createdAtMs: number) => ({ random: own, circle, venues, createdAtMs, nowMs, nextId })
    const put = (kind: Kind, id: string, createdAtMs: number, fields: Record<string, unknown>) =>
      store.put(owner.username, kind, { id, createdAtMs, updatedAtMs: createdAtMs, fields })
    // Every generated person checked in within the last hours, so that the friends' feed is not empty.
    const justNow = isCast ? [] : [nowMs - own.int(60, 10_000) * 1000]
    for (const atMs of [...justNow, ...momentsBack(own, activity, nowMs - 3 * hourMs, 1800)]) {
      const fields = checkinFields(inputFor(atMs))
      const item = put('checkins', nextId(), atMs, fields)
      if (own.chance(0.03)) item.deletedAtMs = nowMs
      else if (fields.venue && own.chance(0.3)) {
        const photoId = nextId()
        put('photos', photoId, atMs + 30_000, photoFields(own, fields.venue, item.id))
        fields.photoIds.push(photoId)
      }
    }
    if (!isCast) return
    for (const cross of crossPosts(owner.username, nowMs))
      if (cross.origin === 'foursquare')
        put('checkins', cross.id, cross.createdAtMs, crossCheckin(inputFor(cross.createdAtMs), cross))
    for (const atMs of momentsBack(own, Math.round(activity * 0.3), nowMs, 1800))
      put('photos', nextId(), atMs, photoFields(own, own.pick(venues)))
    for (const atMs of momentsBack(own, Math.round(activity * 0.2), nowMs, 1800))
      put('tips', nextId(), atMs, tipFields(own, own.pick(venues)))
    const later = random.fork(`more ${owner.username}`)
    for (const [at, atMs] of momentsBack(later, 4, nowMs - 40 * 86_400_000, 900).entries()) {
      const list = put('lists', nextId(), atMs, listFields(later, venues, atMs, at))
      if (at % 2 === 0) list.updatedAtMs = atMs + 30 * 86_400_000
    }
    const liked = later.some(venues, Math.min(30, Math.round(activity / 8)))
    for (const [at, atMs] of momentsBack(later, liked.length, nowMs, 1200).entries()) {
      const venue = liked[at]
      if (venue) put('venuelikes', venue.id, atMs, { venue })
    }
  }

  return { store, venues, allPeople, nextId, friendsOf: (username) => friends.get(username) ?? [] }
}
