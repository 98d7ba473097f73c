import type { Profile } from '#model/accounts/profile.ts'
import type { ParticipantRule, Query, Selection } from '#model/items/query.ts'
import type { Proof } from '#store/identity/access-tokens.ts'
import { type ReadableProfile, readableAlone } from '#store/identity/readable-profiles.ts'
import { appearancesOf } from '#store/items/appearances.ts'
import { writeChangeKeys } from '#store/items/change-keys.ts'
import { CONTACT_COLUMNS, contactList } from '#store/items/contacts.ts'
import { writeKeyed } from '#store/items/copies.ts'
import { type Counting, writeBatch, writeCount } from '#store/items/count-shown.ts'
import { placesOf } from '#store/items/counts.ts'
import { writeFind, writeMatching } from '#store/items/items-by-id.ts'
import { COMPARED_COLUMNS, countingOf } from '#store/items/keys.ts'
import { writeLastKeys, writeList } from '#store/items/list-items.ts'
import { anyOfFilters, filterPredicates } from '#store/items/match.ts'
import { columnsFor } from '#store/items/query.ts'

/** A statement that is composed for a request, with its values. */
export interface Composed {
  name: string
  text: string
  values: unknown[]
}

const NOW = 1_700_000_000_000
const KEY = { at: NOW, id: '0123456789abcdef0123456789abcdef' }
const WHOLE: Query = {
  limit: 20,
  since: 0,
  until: NOW,
  updatedSince: undefined,
  before: undefined,
  sort: 'desc',
  terms: undefined,
  participants: [],
  near: undefined,
  dedup: false,
  copyOf: false,
  link: undefined,
}
const LINK = ['page:x.test/1', 'link:x.test/1']
const TERMS = [{ words: ['sea', 'side'], isBeginning: true, isUnwanted: false }]
const UNWANTED = TERMS.map((term) => ({ ...term, isUnwanted: true }))
const RULES: ParticipantRule[] = [
  { rule: 'takes_part', id: undefined },
  { rule: 'author', id: 'eve' },
  { rule: 'at_least', count: 3 },
  { rule: 'any_of', users: new Map(['library', 'museum'].map((service) => [service, ['eve', 'ben']])) },
]

/** Every filter and sort alone, some together, and all of them. */
const QUERIES: Record<string, Query> = {
  whole: WHOLE,
  ascending: { ...WHOLE, sort: 'asc' },
  'next page': { ...WHOLE, before: KEY },
  'up to a key': { ...WHOLE, sort: 'asc', before: KEY, through: KEY },
  'updated since': { ...WHOLE, updatedSince: NOW - 1000 },
  words: { ...WHOLE, terms: TERMS },
  link: { ...WHOLE, link: LINK },
  'without words': { ...WHOLE, terms: UNWANTED },
  'near, without words': { ...WHOLE, terms: UNWANTED, near: { lat: 10, lng: 179.99, km: 50 } },
  near: { ...WHOLE, near: { lat: 10, lng: 179.99, km: 50 } },
  ...Object.fromEntries(RULES.map((rule) => [rule.rule, { ...WHOLE, participants: [rule] }])),
  everything: {
    ...WHOLE,
    sort: 'asc',
    before: KEY,
    through: KEY,
    updatedSince: NOW - 1000,
    terms: TERMS,
    participants: RULES,
    near: { lat: 89.9, lng: 10, km: 50 },
    dedup: true,
    link: LINK,
  },
}
const SELECTIONS: Record<string, Selection> = {
  photos: { type: 'photos' },
  'all of a feed': { type: 'all_feed' },
  endpoint: { endpoint: 'things' },
}

/** Every composed statement that reads items of one shard, as a sharded server gets it. */
export function composedStatements(shard: number): Composed[] {
  const profile = (id: string, service = 'library', mergedInto?: { shard: number; profileId: string }) =>
    readableAlone({ shard, id, service, nativeId: 'ada' } as Profile, mergedInto)
  const [first, second] = [profile('p1'), profile('p2', 'museum')]
  const merged = profile('p3', 'library', { shard, profileId: 'p1' })
  const parts = (['all', 'all_feed'] as const).map((type) => ({ ...first, selection: { type } }))
  // A copy in another shard is not part of the statement.
  const elsewhere = profile('p4', 'library', { shard: shard + 1, profileId: 'p5' })
  const accounts: Record<string, ReadableProfile[]> = {
    'one profile': [first],
    'several profiles': [first, second, merged],
    'parts of a profile': parts,
    'a copy elsewhere': [elsewhere],
  }
  const token = { shard, hash: Buffer.from('00ff', 'hex') }
  const proofs: Record<string, (profiles: ReadableProfile[]) => Proof | undefined> = {
    'without proof': () => undefined,
    'proof of a cached account': (profiles) => ({ shard, token, accountId: 'a', profiles, exactly: true }),
    'proof of holding': (profiles) => ({ shard, token, accountId: 'a', profiles, exactly: false }),
    'proof for an operator': (profiles) => ({ shard, accountId: 'a', profiles, exactly: false }),
  }
  const compared = [
    { ...KEY, profileId: 'p1', guid: ['text:1', 'g1', 'link:x.test/'], types: 1, author: 'ada' },
    { ...KEY, profileId: 'p2', guid: ['g1'], types: 1, author: null },
  ]
  const listed = Object.entries(accounts).flatMap(([whose, readable]) =>
    Object.entries(SELECTIONS).flatMap(([what, selection]) =>
      Object.entries(QUERIES).flatMap(([which, query]): Composed[] => [
        ...Object.entries(proofs).flatMap(([proven, proofOf]): Composed[] => {
          const name = `${what}, ${which}, ${whose}, ${proven}`
          const list = { readable, selection, query, limit: 20, proof: proofOf(readable) }
          const items = { name: `items: ${name}`, ...writeList(true, list, columnsFor(selection, query)) }
          // The others differ in their columns only.
          if (what !== 'photos') return [items]
          return [
            items,
            { name: `keys: ${name}`, ...writeList(true, list, COMPARED_COLUMNS) },
            { name: `only keys: ${name}`, ...writeList(true, list, '') },
            { name: `last keys: ${name}`, ...writeLastKeys(true, list) },
          ]
        }),
        ...counts(`${what}, ${which}, ${whose}`, readable, countingOf(selection, query)),
        ...(what === 'photos' ? (['shared', 'earliest', 'all'] as const) : []).map((only) => ({
          name: `copies: ${what}, ${which}, ${whose}, ${only}`,
          ...writeKeyed(readable, selection, query, compared, only)!,
        })),
      ]),
    ),
  )
  const profiles = [first, merged, elsewhere]
  return [...listed, ...statementsOfProfiles(profiles), ...profiles.flatMap(matches)]
}

/** Both ways to count: by the database, and of items that are read to compare them with other shards. */
function counts(name: string, readable: readonly ReadableProfile[], counting: Counting): Composed[] {
  return [
    { name: `count: ${name}`, ...writeCount(true, readable, counting) },
    { name: `count one by one: ${name}`, ...writeBatch(true, readable, counting, { id: KEY.id, profileId: 'p1' }) },
  ]
}

function statementsOfProfiles(profiles: ReadableProfile[]): Composed[] {
  const wanted = profiles.map((profile, place) => ({ profile, id: KEY.id, place }))
  return [
    { name: 'changed items', ...writeFind(wanted, 1000) },
    {
      name: 'changes',
      ...writeChangeKeys(
        profiles.map((profile) => ({ ...profile, seq: 5 })),
        10,
      ),
    },
    {
      name: 'change keys up to a seq',
      ...writeChangeKeys(
        profiles.map((profile) => ({ ...profile, seq: 5, upTo: 9 })),
        10,
      ),
    },
    ...profiles.flatMap((profile): Composed[] => [
      ...counts('places', [profile], placesOf({ since: 0, until: NOW })),
      ...counts('appearances', [profile], appearancesOf(['eve'])),
      ...[undefined, KEY].map((after) => ({
        name: `contacts: ${profile.profileId}${after === undefined ? '' : ' after one'}`,
        ...writeList(true, contactList(profile, after, 10), CONTACT_COLUMNS),
      })),
    ]),
  ]
}

/** What deliveries ask. */
function matches(profile: ReadableProfile): Composed[] {
  return Object.entries(QUERIES).flatMap(([which, query]): Composed[] => {
    const filters = [undefined, { type: 'photos' } as const, { endpoint: 'things' }].map((selection) => ({
      selection,
      query,
    }))
    const matching = filters.map((filter, n) => ({
      name: `matching ${n}: ${which}, ${profile.profileId}`,
      ...writeMatching(profile, [KEY.id], (values) => filterPredicates(values, profile, filter)),
    }))
    return [...matching, ...counts(`a filter: ${which}`, [profile], anyOfFilters(filters))]
  })
}
