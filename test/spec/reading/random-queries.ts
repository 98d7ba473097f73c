import * as fc from 'fast-check'
import { TYPE_NAMES } from '#model/items/types.ts'
import type { Query } from './naive.ts'
import type { Thing } from './thing.ts'

export const NOW_ISH = Date.now()

const WORDS = ['sea', 'Seá', 'seaside', 'SUN', 'moon', 'münchen', 'x1']
const PEOPLE = ['ada', 'ben', 'cy', 'dot', 'e']
export const ENDPOINTS = ['things', 'others', 'feed']
const TYPES = ['photos', 'videos', 'statuses', 'news', 'checkins', 'contacts', 'events', 'tracks'] as const
export const PLACES = [
  { lat: 0, lng: 180 },
  { lat: 0.02, lng: -179.97 },
  { lat: 38.7, lng: -9.1 },
  { lat: 38.75, lng: -9.2 },
  { lat: 89.99, lng: 10 },
  { lat: 89.98, lng: -170 },
  { lat: -90, lng: 0 },
  { lat: -33.9, lng: 151.2 },
]
const DAY_MS = 86_400_000
const TIMES = [
  -5,
  0,
  1,
  1000,
  1000,
  1000,
  2000,
  1000 + DAY_MS,
  1001 + DAY_MS,
  2000 + 2 * DAY_MS,
  NOW_ISH - 1000,
  NOW_ISH + 86_400_000,
]

const KEYS = 'g1 g2 g3 g4 of:g1 of:g2 page:x.test/1 page:x.test/2 link:x.test/1 link:x.test/2 link:x.test/3'.split(' ')

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 3 })
const rare = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 }).map((list) => list.join(' '))

export const thing: fc.Arbitrary<Thing> = fc
  .record({
    id: fc.nat(60).map((n) => `i${n}`),
    at: fc.constantFrom(...TIMES),
    types: fc.subarray([...TYPES], { maxLength: 3 }),
    author: optional(fc.constantFrom(...PEOPLE)),
    others: optional(
      fc.array(fc.constantFrom(...PEOPLE, ...Array.from({ length: 20 }, (_, i) => `q${i}`)), { maxLength: 25 }),
    ),
    place: optional(fc.constantFrom(...PLACES)),
    guid: optional(fc.uniqueArray(fc.constantFrom(...KEYS), { maxLength: 3 })),
    image: rare(fc.constantFrom('https://x.test/1.jpg', 'https://x.test/2.jpg')),
    name: optional(words),
    handle: optional(words),
    email: optional(words),
    text: optional(words),
    title: optional(words),
    description: optional(words),
    url: optional(words.map((text) => `https://x.test/${text.replaceAll(' ', '/')}`)),
  })
  .map(({ place, ...rest }) => clean({ ...rest, ...place }))

// Absent fields are left out, as in a record that came as JSON.
function clean(record: Record<string, unknown>): Thing {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as unknown as Thing
}

const folded = ['sea', 'seaside', 'sun', 'moon', 'munchen', 'x1', 'never']
const token = fc.oneof(
  fc.constantFrom(...PEOPLE, 'q1', 'q19', 'self', '^self', 'nobody'),
  fc.constantFrom(...PEOPLE).map((id) => `^${id}`),
  fc.integer({ min: 1, max: 16 }).map((n) => `>${n}`),
)

export const randomQuery: fc.Arbitrary<Query> = fc.record({
  category: fc.oneof<fc.Arbitrary<Query['category']>[]>(
    fc.constantFrom(...TYPE_NAMES).map((type) => ({ type })),
    fc.constantFrom('all', 'all_feed', 'photos', 'statuses').map((type) => ({ type })),
    fc.record({ service: fc.constantFrom('library', 'museum'), endpoint: fc.constantFrom(...ENDPOINTS) }),
  ),
  limit: fc.oneof(fc.constant(undefined), fc.nat(6), fc.constantFrom(50, 1000)),
  since: rare(fc.constantFrom(...TIMES)),
  until: rare(fc.constantFrom(...TIMES)),
  before: rare(
    fc.record({
      at: fc.constantFrom(...TIMES),
      id: fc.bigInt(0n, 2n ** 128n - 1n).map((number) => number.toString(16).padStart(32, '0')),
    }),
  ),
  sort: fc.constantFrom(undefined, 'asc' as const, 'desc' as const),
  required: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    {
      weight: 1,
      arbitrary: fc.array(fc.array(fc.constantFrom(...folded), { minLength: 1, maxLength: 2 }), { maxLength: 2 }),
    },
  ),
  excluded: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.constantFrom(...folded), { maxLength: 2 }) },
  ),
  beginning: rare(fc.constantFrom('s', 'se', 'sea', 'seas', 'm', 'zz')),
  people: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(token, { minLength: 1, maxLength: 3 }) },
  ),
  near: rare(
    fc
      .record({ place: fc.constantFrom(...PLACES), km: fc.constantFrom(0, 1, 4, 10, 500, 12_000) })
      .map(({ place, km }) => ({ ...place, km })),
  ),
  services: rare(fc.subarray(['library', 'museum', 'ada@museum', 'ben@library', 'nobody@museum'], { minLength: 1 })),
  dedup: fc.boolean(),
  link: rare(fc.constantFrom('x.test/1', 'x.test/3', 'x.test/4')),
})

/** The query as an address. Exclusions alone are not a search, so they come with a word to find. */
export function toPath(query: Query): string {
  const params = new URLSearchParams()
  const add = (name: string, value: string | number | undefined) => {
    if (value !== undefined) params.set(name, String(value))
  }
  const { category, before: place, near } = query
  const terms = [
    ...query.required.map((phrase) => (phrase.length === 1 ? phrase[0]! : `"${phrase.join(' ')}"`)),
    ...query.excluded.map((word) => `-${word}`),
    ...(query.beginning === undefined ? [] : [`${query.beginning}*`]),
  ]
  add('limit', query.limit)
  add('since', query.since)
  add('until', query.until)
  add('before', place && `${place.at}_${place.id}`)
  add('sort', query.sort)
  add('q', terms.length === 0 ? undefined : terms.join(' '))
  add('participants', query.people.length === 0 ? undefined : query.people.join(','))
  add('near', near && `${near.lat},${near.lng}`)
  add('within', near?.km)
  add('dedup', query.dedup ? 'true' : undefined)
  add('link', query.link && `http://www.${query.link}/?utm_source=test#top`)
  if ('type' in category) add('services', query.services?.join(','))
  const path = 'type' in category ? `/types/${category.type}` : `/services/${category.service}/${category.endpoint}`
  return `${path}?${params.toString()}`
}

/** The defaults that the interface sets before anything is read. */
export function withDefaults(query: Query): Query {
  return 'type' in query.category ? query : { ...query, services: undefined }
}
