import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { PUT_ITEMS, PUT_PARTICIPANTS, VERSIONS } from '#destinations/postgres/tables.ts'
import { median } from './load.ts'
import { openPushFixture, type PushFixture } from './push-fixture.ts'

const MILLION = process.argv.includes('--million')
const ITEMS = MILLION ? 1_000_000 : Number(process.env['BENCH_PUSH_ITEMS'] ?? 60_000)
const PROFILES = 20
const CHANGES = Number(process.env['BENCH_PUSH_CHANGES'] ?? 60)
const BATCH = 500

/** Push into PostgreSQL: a backfill compared with bare upserts of the same rows, its memory, and the latency of one change. */
export async function benchPush(): Promise<void> {
  const fixture = await openPushFixture()
  try {
    await fixture.fill(PROFILES, ITEMS / PROFILES)
    await fixture.startWorker()
    const idleMb = fixture.peakMb()
    const url = await fixture.newDatabase('client')
    const ms = await fixture.backfill(url)
    const peakMb = fixture.peakMb()
    const ours = ITEMS / (ms / 1000)
    line(
      `a backfill of ${ITEMS} items`,
      `${ours.toFixed(0)} rows/s, peak memory ${peakMb.toFixed(0)} MB (idle ${idleMb.toFixed(0)}; aim 300)`,
    )
    await benchChanges(fixture, url)
    await fixture.stopWorker()
    if (MILLION) return
    for (const connections of [1, 3]) {
      const bare = await benchBare(fixture, url, connections)
      const ratio = (ours / bare).toFixed(2)
      line(`bare upserts, ${connections} at once`, `${bare.toFixed(0)} rows/s; ours is ${ratio} of it (aim 0.50)`)
    }
  } finally {
    await fixture.close()
  }
}

/** Stores one item after the other at random times, and measures the time from commit to the row in the client's database. */
async function benchChanges(fixture: PushFixture, url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const account = await fixture.newAccount(900)
  const times: number[] = []
  for (let i = 0; i <= CHANGES; i += 1) {
    await sleep(Math.random() * 500)
    await fixture.put(account, { id: 'one', v: i })
    const beganAt = performance.now()
    for (;;) {
      const { rowCount } = await client.query({
        name: 'bench-look',
        text: `select 1 from tributary_items where endpoint = 'things' and data ->> 'v' = $1`,
        values: [String(i)],
      })
      if (rowCount! > 0) break
      await sleep(5)
    }
    // The first one creates the profile.
    if (i > 0) times.push(performance.now() - beganAt)
  }
  await client.end()
  const p95 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)]!
  line('from store to row', `p50 ${median(times).toFixed(0)} ms, p95 ${p95.toFixed(0)} ms (aim 1000, 3000)`)
}

/** Upserts the same rows into the same tables of another database, without anything else. */
async function benchBare(fixture: PushFixture, from: string, connections: number): Promise<number> {
  const source = new Client({ connectionString: from })
  const url = await fixture.newDatabase(`bare${connections}`)
  const targets = Array.from({ length: connections }, () => new Client({ connectionString: url }))
  await Promise.all([source, ...targets].map((client) => client.connect()))
  for (const statement of VERSIONS.flat()) await targets[0]!.query(statement)
  const { rows: profiles } = await source.query<{ id: string }>('select id from tributary_profiles')
  const batches: Batch[] = []
  for (const { id } of profiles) {
    const items = (await source.query<unknown[]>({ text: ITEM_COLUMNS, values: [id], rowMode: 'array' })).rows
    const people = (await source.query<unknown[]>({ text: PEOPLE_COLUMNS, values: [id], rowMode: 'array' })).rows
    batches.push(...batchesOf(items, people))
  }
  const count = batches.reduce((sum, { items }) => sum + items.length, 0)
  const beganAt = performance.now()
  await Promise.all(
    targets.map(async (target) => {
      for (let batch = batches.pop(); batch !== undefined; batch = batches.pop()) {
        await target.query('begin')
        await target.query(PUT_ITEMS, columnsOf(batch.items))
        if (batch.people.length > 0) await target.query(PUT_PARTICIPANTS, columnsOf(batch.people))
        await target.query('commit')
      }
    }),
  )
  const seconds = (performance.now() - beganAt) / 1000
  await Promise.all([source, ...targets].map((client) => client.end()))
  return count / seconds
}

interface Batch {
  items: unknown[][]
  people: unknown[][]
}

const ITEM_COLUMNS = `select id, idr, profile_id, service, endpoint, native_id, (extract(epoch from at) * 1000)::bigint,
  (extract(epoch from updated_at) * 1000)::bigint, array_to_string(types, ' '), array_to_string(guid, ' '), author, lat, lng, oembed::text, map::text, data::text, seq
  from tributary_items where profile_id = $1 order by seq`
const PEOPLE_COLUMNS =
  'select profile_id, item_id, position, participant, is_author from tributary_participants where profile_id = $1 order by item_id, position'

function batchesOf(items: unknown[][], people: unknown[][]): Batch[] {
  const byItem = Map.groupBy(people, (row) => row[1])
  return Array.from({ length: Math.ceil(items.length / BATCH) }, (_, i) => {
    const slice = items.slice(i * BATCH, (i + 1) * BATCH)
    return { items: slice, people: slice.flatMap(([id]) => byItem.get(id) ?? []) }
  })
}

function columnsOf(rows: unknown[][]): unknown[][] {
  return rows[0]!.map((_, column) => rows.map((row) => row[column]))
}

function line(name: string, value: string): void {
  process.stdout.write(`${name.padEnd(28)} ${value}\n`)
}

if (import.meta.main) await benchPush()
