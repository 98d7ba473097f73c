import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { Client } from 'pg'
import type { Profile } from '#model/accounts/profile.ts'
import type { Query, Selection } from '#model/items/query.ts'
import { ITEM_TYPES, TYPE_NAMES } from '#model/items/types.ts'
import { readableAlone } from '#store/identity/readable-profiles.ts'
import { writeList } from '#store/items/list-items.ts'
import { migrate } from '#store/migrate.ts'
import { type Opened, openFresh } from '../opened.ts'

const SHARD = 5
/** As many profiles, each with as many items, as make reading all of them the worse choice. */
const PROFILES = 10
const ITEMS = 4000
const profile = readableAlone({ shard: SHARD, id: 'profile3', service: 'x', nativeId: 'ada' } as Profile, undefined)
const WHOLE: Query = {
  limit: 20,
  since: 0,
  until: ITEMS,
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

/** The indexes that a list reads, by what is asked for. */
const READS: [what: string, selection: Selection, query: Partial<Query>, indexes: string[]][] = [
  ...TYPE_NAMES.map((type): (typeof READS)[number] => [type, { type }, {}, [`item_${type}`]]),
  ['a page of a type', { type: 'photos' }, { before: { at: 900, id: '0'.repeat(32) } }, ['item_photos']],
  ['an endpoint', { endpoint: 'things' }, {}, ['item_endpoint']],
  ['the oldest of an endpoint', { endpoint: 'things' }, { sort: 'asc' }, ['item_endpoint']],
  [
    'words',
    { type: 'photos' },
    { terms: [{ words: ['sea'], isBeginning: false, isUnwanted: false }] },
    ['item_photos', 'item_words'],
  ],
  ['a person', { type: 'all' }, { participants: [{ rule: 'takes_part', id: 'ben' }] }, ['item_all', 'item_words']],
  ['a place', { type: 'photos' }, { near: { lat: 10, lng: 10, km: 5 } }, ['item_photos', 'item_place']],
  ['what changed', { type: 'photos' }, { updatedSince: 3_600_000 + ITEMS - 10 }, ['item_photos', 'item_seq']],
  [
    'a link',
    { type: 'photos' },
    { link: ['link:x.test/1'] },
    ['item_photos', ...[1, 2, 3, 4, 5, 6].map((place) => `item_key_${place}`)],
  ],
]

suite('plans of lists of items', () => {
  let opened: Opened
  let client: Client
  before(async () => {
    opened = await openFresh()
    await migrate(opened.database, 1)
    client = new Client({ connectionString: opened.url })
    await client.connect()
    await client.query(
      `insert into item (shard, profile_id, id, endpoint, native_id, at, updated_at, seq, hash, types, author, participants, guid, lat, lng,
         words, oembed, data)
       select ${SHARD}, 'profile' || p, gen_random_uuid(), case when n % 9 = 0 then 'others' else 'things' end, n::text, n, n, n, '',
         1 << (n % ${ITEM_TYPES.length}), 'eve', '{eve}', array['text:' || n, 'page:' || n, 'a' || n, 'b' || n, 'c' || n, 'd' || n],
         n % 180 - 90, n % 360 - 180, to_tsvector('simple', 'word' || n), '{}', '{}'
       from generate_series(1, ${PROFILES}) p, generate_series(1, ${ITEMS}) n`,
    )
    await client.query('vacuum analyze item')
    // Some versions would rather read so small a table as a whole. Then it is read only where no index serves.
    await client.query('set enable_seqscan = off')
  })
  after(async () => {
    await client?.end()
    await opened?.close()
  })

  for (const [what, selection, more, indexes] of READS)
    test(`${what}: ${indexes.join(', ')}`, async () => {
      const list = { readable: [profile], selection, query: { ...WHOLE, ...more }, limit: 20 }
      const { text, values } = writeList(false, list, 'i.data')
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values)
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      for (const index of indexes) assert.match(plan, new RegExp(`\\b${index}\\b`), plan)
      assert.doesNotMatch(plan, /Seq Scan on item/, plan)
      // A search by an index sorts the few that it finds; a list of its own is read in its order.
      if (indexes.length > 1) return
      assert.doesNotMatch(plan, /Sort/, plan)
      assert.match(plan, /Index Cond: .*\(at >= .*\(at <= /, 'items before the wanted time are not read')
    })
})
