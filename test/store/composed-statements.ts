import type { Profile } from '#model/profile.ts'
import type { ParticipantRule, Query, Selection } from '#model/query.ts'
import type { Proof } from '#store/identity/access-tokens.ts'
import { writeAppearances } from '#store/items/appearances.ts'
import { writeChangeKeys } from '#store/items/change-keys.ts'
import { writeContacts } from '#store/items/contacts.ts'
import { writeKeyed } from '#store/items/copies.ts'
import { writeCounts } from '#store/items/counts.ts'
import { writeCount, writeKeys, writeLastKeys } from '#store/items/keys.ts'
import { writeMatchCount, writeMatching } from '#store/items/match.ts'
import { writeFind, writeQuery } from '#store/items/query.ts'
import type { ReadableProfile } from '#store/items/readable-profiles.ts'

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
}
const TERMS = [{ words: ['sea', 'side'], isBeginning: true, isUnwanted: false }]
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
  },
}
const SELECTIONS: Record<string, Selection> = {
  photos: { type: 'photos' },
  'all of a feed': { type: 'all_feed' },
  endpoint: { endpoint: 'things' },
}

/** Every composed statement that reads items of one shard, as a sharded server gets it. */
export function composedStatements(shard: number): Composed[] {
  const profile = (profileId: string, owner: string, service = 'library'): ReadableProfile => ({
    shard,
    profileId,
    service,
    owner,
    duplicates: [],
  })
  const [first, second] = [profile('p1', 'ada'), profile('p2', 'ada', 'museum')]
  const merged = { ...profile('p3', 'ada'), duplicates: [{ shard, profileId: 'p1' }] }
  const parts = (['all', 'all_feed'] as const).map((type) => ({ ...first, selection: { type } }))
  // A copy in another shard is not part of the statement.
  const elsewhere = { ...profile('p4', 'ada'), duplicates: [{ shard: shard + 1, profileId: 'p5' }] }
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
    { ...KEY, profileId: 'p1', guid: ['text:1', 'g1', 'https://x.test/'] },
    { ...KEY, profileId: 'p2', guid: ['g1'] },
  ]
  const listed = Object.entries(accounts).flatMap(([whose, readable]) =>
    Object.entries(SELECTIONS).flatMap(([what, selection]) =>
      Object.entries(QUERIES).flatMap(([which, query]): Composed[] => [
        ...Object.entries(proofs).flatMap(([proven, proofOf]): Composed[] => {
          const name = `${what}, ${which}, ${whose}, ${proven}`
          const proof = proofOf(readable)
          const { statement, values } = writeQuery(true, readable, selection, query, 20, proof)
          const items = { name: `items: ${name}`, text: statement.text, values }
          // The others differ in their columns only.
          if (what !== 'photos') return [items]
          return [
            items,
            { name: `keys: ${name}`, ...writeKeys(true, readable, selection, query, 20, proof) },
            { name: `last keys: ${name}`, ...writeLastKeys(true, readable, selection, query, 20, proof) },
          ]
        }),
        { name: `count: ${what}, ${which}, ${whose}`, ...writeCount(true, readable, selection, query) },
        ...(what === 'photos' ? (['shared', 'earliest', 'all'] as const) : []).map((only) => ({
          name: `copies: ${what}, ${which}, ${whose}, ${only}`,
          ...writeKeyed(readable, selection, query, compared, { hasOtherServices: true, only })!,
        })),
      ]),
    ),
  )
  return [...listed, ...statementsOfProfiles([first, merged, elsewhere]), ...matches(shard)]
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
    ...profiles.flatMap((profile): Composed[] => [
      { name: `counts: ${profile.profileId}`, ...writeCounts(profile, { since: 0, until: NOW }) },
      { name: `contacts: ${profile.profileId}`, ...writeContacts(profile, undefined, 10) },
      { name: `contacts after one: ${profile.profileId}`, ...writeContacts(profile, KEY, 10) },
      { name: `appearances: ${profile.profileId}`, ...writeAppearances(true, profile, ['eve']) },
    ]),
  ]
}

/** Of deliveries. */
function matches(shard: number): Composed[] {
  const profile = { shard, id: 'p1', nativeId: 'ada', service: 'library' } as Profile
  return Object.entries(QUERIES).flatMap(([which, query]): Composed[] => [
    { name: `matching: ${which}`, ...writeMatching(profile, { type: 'photos' }, query, [KEY.id]) },
    { name: `matching any type: ${which}`, ...writeMatching(profile, undefined, query, [KEY.id]) },
    {
      name: `count of a filter: ${which}`,
      ...writeMatchCount(
        profile,
        [
          { selection: undefined, query },
          { selection: { endpoint: 'things' }, query },
        ],
        { shard, profileId: 'p2' },
      ),
    },
  ])
}
