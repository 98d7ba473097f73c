import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Client } from 'pg'
import type { Profile } from '#model/accounts/profile.ts'
import type { Query } from '#model/items/query.ts'
import { readableAlone } from '#store/identity/readable-profiles.ts'
import { writeKeyed } from '#store/items/copies.ts'
import { migrate } from '#store/migrate.ts'
import { type Opened, openFresh } from '../opened.ts'

/** Small accounts in so many shards: the planner expects few items of a shard, also in that of a large account. */
const SHARDS = 500
const ITEMS = 4000
const profile = readableAlone({ shard: 5, id: 'large', service: 'x', nativeId: 'ada' } as Profile, undefined)
const QUERY: Query = {
  limit: 20,
  since: 0,
  until: ITEMS,
  updatedSince: undefined,
  before: undefined,
  sort: 'desc',
  terms: undefined,
  participants: [],
  near: undefined,
  dedup: true,
  copyOf: false,
  link: undefined,
}

let opened: Opened
let client: Client
before(async () => {
  opened = await openFresh()
  await migrate(opened.database, 1)
  client = new Client({ connectionString: opened.url })
  await client.connect()
  await client.query(
    `insert into item (shard, profile_id, id, endpoint, native_id, at, updated_at, seq, hash, types, participants, guid, words, oembed, data)
     select shard, profile, gen_random_uuid(), 'things', n::text, n, n, n, '', 1, '{}',
       array['text:' || n, 'page:' || n, 'a' || n, 'b' || n, 'c' || n, 'd' || n], '', '{}', '{}'
     from (select 5 as shard, 'large' as profile, n from generate_series(1, ${ITEMS}) n
       union all select s, 'small' || s, n from generate_series(1, ${SHARDS}) s, generate_series(1, 20) n) items`,
  )
  await client.query('vacuum analyze item')
})
after(async () => {
  await client?.end()
  await opened?.close()
})

test('copies are looked up in the indexes of keys, not among all items of the profile, with a kept plan and with a new one', async () => {
  const items = Array.from({ length: 20 }, (_, n) => {
    const keys = [`text:${n}`, `page:${n}`, `a${n}`]
    return { id: `${n}`.padStart(32, '0'), at: n + 100, guid: keys, types: 1, profileId: 'large' }
  })
  const { text, values } = writeKeyed([profile], { type: 'photos' }, QUERY, items, 'shared')!
  for (const mode of ['force_generic_plan', 'force_custom_plan']) {
    await client.query(`set plan_cache_mode = ${mode}`)
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    const read = [...plan.matchAll(/Scan (?:using (\w+) )?on item\b/g)].map(([, index]) => index ?? 'the table')
    const indexes = ['item_key_1', ...[1, 2, 3, 4, 5, 6].map((place) => `item_key_${place}`)]
    assert.deepEqual(read.toSorted(), indexes.toSorted(), plan)
  }
})
