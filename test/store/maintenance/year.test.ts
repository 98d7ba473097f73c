import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { Client } from 'pg'
import { PURGES } from '#flows/operations/maintenance/purges.ts'
import { type MaintenanceTask, type RunnerDeps, runTasks } from '#flows/operations/maintenance/run-tasks.ts'
import { SIGN_IN_TASKS } from '#flows/operations/maintenance/sign-in-tasks.ts'
import { encodeNumber } from '#platform/crypto/ids.ts'
import { migrate } from '#store/migrate.ts'
import { notOnCluster } from '../../harness/database/cluster.ts'
import { type Opened, openPrepared, quiet } from '../opened.ts'
import { fillOwners } from './expired-rows.ts'
import { fillTable } from './fill-table.ts'

const DAY_MS = 86_400_000
const START_MS = 1_800_000_000_000
/** Longer than the longest retention (400 days), in steps of two weeks. */
const STEPS = 32
const STEP_MS = 14 * DAY_MS
/** Of each table in a step. */
const ROWS = 400

/** What happens all the time, with the column that says when. */
const HAPPENS: [table: string, column: string, more?: Record<string, string>][] = [
  ['access_token', 'revoked_at', { account_id: `'account'` }],
  ['agent_token', 'expires_at', { kind: `'access'` }],
  ['applied_token', 'expires_at'],
  ['attempt', 'window_start'],
  ['audit', 'at'],
  ['call_log', 'at'],
  ['connect_session', 'expires_at'],
  ['consent', 'used_at', { kind: `'code'` }],
  ['delivery', 'at'],
  ['feed_entry', 'at', { destination_id: `'dst_known'`, pos: 'n', kind: `'removed'` }],
  ['hook_record', 'kept_until'],
  ['idempotency_key', 'expires_at'],
  ['item_hour', 'hour'],
  ['item_tombstone', 'deleted_at', { shard: '1', profile_id: `'profile'`, seq: 'n' }],
  ['operation', 'at', { kind: `'sync'`, outcome: `'ok'`, steps: `'[]'` }],
  ['pending', 'expires_at'],
  ['proxy_token', 'expires_at', { shard: '1', account_id: `'account'` }],
  ['push_event', 'at', { destination_id: `'dst_known'` }],
  ['rate_limit', 'refilled_at'],
  ['reconnect_link', 'expires_at'],
]
/** Where ids begin with the time by which the rows end. */
const ID_IS_TIME = new Set(['audit'])

suite('a simulated year and a month', () => {
  let opened: Opened
  let client: Client
  before(async () => {
    opened = await openPrepared()
    await migrate(opened.database, 1)
    client = new Client({ connectionString: opened.url })
    await client.connect()
    await fillOwners(client)
    // Of an app without a destination: one that delivers nothing keeps every tombstone.
    await fillTable(client, 'profile_sync', 1, { shard: '1', profile_id: `'profile'`, app_id: `'other'` })
  })
  after(async () => {
    await client?.end()
    await opened?.close()
  })

  const skip = notOnCluster('it measures the files of one server')
  test('what happens all the time takes no more room in its last step than a step before', {
    skip,
  }, async (context) => {
    let nowMs = START_MS
    const deps: RunnerDeps = { database: opened.database, clock: { now: () => nowMs }, log: quiet }
    const tasks = [...PURGES, ...SIGN_IN_TASKS] as unknown as MaintenanceTask<RunnerDeps>[]
    const counts: Record<string, number[]> = {}
    const bytes: Record<string, number[]> = {}
    for (let step = 0; step < STEPS; step += 1) {
      const first = step * ROWS + 1
      const at = `(${nowMs} + (n - ${first}) * ${STEP_MS / ROWS})::bigint`
      for (const [table, column, more = {}] of HAPPENS) {
        const id = ID_IS_TIME.has(table) ? { id: `'${encodeNumber(nowMs, 10)}' || n` } : {}
        await fillTable(client, table, ROWS, { ...more, ...id, [column]: at }, first)
      }
      await client.query(`update feed set head = ${first + ROWS}, read_at = ${nowMs + STEP_MS}`)
      nowMs += STEP_MS
      // Twice: some announce in one run what they delete in the next.
      for (let runs = 0; runs < 2; runs += 1) {
        const failed = (await runTasks(deps, tasks)).filter(({ end }) => end !== 'succeeded')
        assert.deepEqual(failed, [])
      }
      for (const [table] of HAPPENS) {
        const { rows } = await client.query<{ n: number; bytes: number }>(
          `select count(*)::int as n, (select sum(pg_total_relation_size(relid))::float8
             from (select relid from pg_partition_tree('${table}') union select '${table}'::regclass) parts) as bytes from ${table}`,
        )
        ;(counts[table] ??= []).push(rows[0]!.n)
        ;(bytes[table] ??= []).push(rows[0]!.bytes)
        await client.query(`vacuum ${table}`)
      }
    }
    for (const [table] of HAPPENS) {
      const [rows, sizes] = [counts[table]!, bytes[table]!]
      const [last, before] = [rows.at(-1)!, rows.at(-3)!]
      context.diagnostic(`${table}: ${last} of ${STEPS * ROWS} rows, ${Math.round(sizes.at(-1)! / 1024)} KB`)
      assert.ok(last <= before + 1, `${table} has ${last} rows, ${before} two steps before`)
      assert.ok(last < STEPS * ROWS, `${table} keeps all rows`)
      assert.ok(sizes.at(-1)! <= sizes.at(-3)! * 1.1 + 65_536, `${table}: ${sizes.at(-3)} bytes, then ${sizes.at(-1)}`)
    }
  })
})
