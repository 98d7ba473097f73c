import type { Person } from '../../base/people.ts'
import type { Random } from '../../base/random.ts'
import { createItemStore, type ItemStore } from '../../data/item-store.ts'
import { momentsBack } from '../../data/moments.ts'
import { titles } from '../../data/vocabulary.ts'

export const kinds = ['activities', 'routes', 'clubs', 'segments'] as const
export type Kind = (typeof kinds)[number]

export interface StravaData {
  store: ItemStore
  nextId: () => string
  blank: (kind: string) => Record<string, unknown>
}

const sports = [
  { sport_type: 'Run', type: 'Run', metersPerSecond: 2.9 },
  { sport_type: 'TrailRun', type: 'Run', metersPerSecond: 2.3 },
  { sport_type: 'Ride', type: 'Ride', metersPerSecond: 6.8 },
  { sport_type: 'GravelRide', type: 'Ride', metersPerSecond: 5.9 },
  { sport_type: 'Swim', type: 'Swim', metersPerSecond: 0.8 },
  { sport_type: 'Yoga', type: 'Yoga', metersPerSecond: 0 },
]
const names = ['Morning Run', 'Lunch Ride', 'Evening Swim', 'Лыжи ⛷️', 'Sunday long one', 'To the office and back']
const dayMs = 86_400_000

export function createStravaData(parts: { people: Person[]; random: Random; nowMs: number }): StravaData {
  const { people, random, nowMs } = parts
  const store = createItemStore()
  let sequence = 0
  const nextId = () => String(11_400_000_000 + (sequence += 1) * 7919)
  const put = (owner: Person, kind: Kind, id: string, createdAtMs: number, fields: Record<string, unknown>) =>
    store.put(owner.username, kind, { id, createdAtMs, updatedAtMs: createdAtMs, fields })

  for (const person of people.filter(({ activity }) => activity > 0)) {
    const own = random.fork(person.username)
    for (const atMs of momentsBack(own, person.activity, nowMs, 1500))
      put(person, 'activities', nextId(), atMs, activityFields(own, person))
    // Beyond the precision of doubles, as at Strava.
    for (const [at, atMs] of momentsBack(own, 6, nowMs - 20 * dayMs, 900).entries())
      put(person, 'routes', String(3_100_000_000_000_000_001n + BigInt((sequence += 1))), atMs, {
        name: titles[at % titles.length],
        description: at % 2 === 0 ? '' : 'Mind the dog at the second gate.',
        distance: own.int(4000, 90_000),
        isPrivate: at === 0,
      })
    for (const [at, atMs] of momentsBack(own, 3, nowMs - 90 * dayMs, 900).entries())
      put(person, 'clubs', String(150_000 + at * 31 + (Number(person.id) % 1000)), atMs, clubFields(person, at))
    for (const [at, atMs] of momentsBack(own, 5, nowMs, 700).entries())
      put(person, 'segments', String(600_000 + (sequence += 1)), atMs, {
        name: `${titles[at % titles.length]} climb`,
        activity_type: at % 2 === 0 ? 'Ride' : 'Run',
        distance: own.int(300, 9000),
        start_latlng: [person.lat, person.lng],
        city: person.city,
      })
  }

  const blank = (kind: string): Record<string, unknown> =>
    kind === 'activities'
      ? { ...activityFields(random.fork('blank'), people[0]!), name: 'New activity' }
      : { name: 'New', distance: 1000, isPrivate: false }
  return { store, nextId, blank }
}

function activityFields(random: Random, person: Person): Record<string, unknown> {
  const { metersPerSecond, ...sport } = random.pick(sports)
  const seconds = random.int(600, 9000)
  const isIndoors = metersPerSecond === 0 || random.chance(0.15)
  const near = (spread: number) => [
    Number((person.lat + (random.float() - 0.5) * spread).toFixed(5)),
    Number((person.lng + (random.float() - 0.5) * spread).toFixed(5)),
  ]
  return {
    ...sport,
    name: random.pick(names),
    distance: Number((seconds * metersPerSecond).toFixed(1)),
    moving_time: seconds,
    elapsed_time: seconds + random.int(0, 400),
    total_elevation_gain: metersPerSecond === 0 ? 0 : random.int(0, 600),
    start_latlng: isIndoors ? [] : near(0.2),
    end_latlng: isIndoors ? [] : near(0.2),
    ...(random.chance(0.8) ? { average_heartrate: random.int(980, 1680) / 10 } : {}),
    kudos_count: random.int(0, 40),
    comment_count: random.int(0, 6),
    device_name: random.pick(['Garmin Forerunner 965', 'Strava App', 'Wahoo ELEMNT']),
    isPrivate: random.chance(0.1),
  }
}

function clubFields(person: Person, at: number): Record<string, unknown> {
  return {
    name: ['Early Birds', 'Bridges & Tunnels', 'Last Café Open'][at] ?? 'A club',
    url: at === 2 ? '' : `club-${at}`,
    sport_type: at === 1 ? 'cycling' : 'running',
    city: person.city,
    country: null,
    member_count: 12 + at * 140,
  }
}
