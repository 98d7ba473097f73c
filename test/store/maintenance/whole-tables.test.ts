import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { Client } from 'pg'
import { PURGES } from '#flows/operations/maintenance/purges.ts'
import { type MaintenanceTask, runTasks } from '#flows/operations/maintenance/run-tasks.ts'
import { SIGN_IN_TASKS } from '#flows/operations/maintenance/sign-in-tasks.ts'
import { type Database, knownStatements, type Queries, type Statement } from '#platform/postgres/database.ts'
import { migrate } from '#store/migrate.ts'
import { notOnCluster } from '../../harness/database/cluster.ts'
import { type Opened, openPrepared, quiet } from '../opened.ts'
import { EXPIRED, fillExpired, fillOwners, NOW_MS } from './expired-rows.ts'
import { fillTable } from './fill-table.ts'

/** Tables that hold the data of people, or a row for each thing that happened. */
const LARGE =
  /Seq Scan on (?:access_token|account|audit|call_log|dead_letter|delivered_item|delivery|delivery_cursor|endpoint_sync|hook_record|item|item_hour|item_tombstone|operation|people_decision|profile|profile_sync|proxy_token|push_event|rate_limit|service_user)\b/
/** With few rows the planner would rather read the whole table: that is made expensive, so that it uses an index where it can. */
const SETTINGS = 'set enable_seqscan = off; set plan_cache_mode = force_generic_plan'

suite('statements of maintenance', () => {
  let opened: Opened
  let client: Client
  const sent = new Set<string>()
  before(async () => {
    opened = await openPrepared()
    await migrate(opened.database, 1)
    client = new Client({ connectionString: opened.url })
    await client.connect()
    await fillOwners(client)
    for (const expired of EXPIRED) await fillExpired(client, expired, 2)
    await fillTable(client, 'profile_sync', 2, { app_id: `'app'` })
  })
  after(async () => {
    await client?.end()
    await opened?.close()
  })

  const skip = notOnCluster('its plans do not show what the nodes read')
  test('none reads a whole large table', { skip }, async () => {
    const database = noting(opened.database, sent)
    const tasks = [...PURGES, ...SIGN_IN_TASKS] as unknown as MaintenanceTask<{
      database: Database
      clock: { now: () => number }
      log: typeof quiet
    }>[]
    const runs = await runTasks({ database, clock: { now: () => NOW_MS }, log: quiet }, tasks)
    assert.deepEqual(
      runs.filter(({ end }) => end !== 'succeeded'),
      [],
    )
    assert.ok(sent.size > 40, `${sent.size} statements`)
    await client.query(SETTINGS)
    for (const { name, text } of knownStatements().filter((each) => sent.has(each.name)))
      assert.doesNotMatch(await planOf(client, text), LARGE, name)
  })
})

async function planOf(client: Client, text: string): Promise<string> {
  await client.query(`prepare of_task as ${text}`)
  const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)))
  const values = Array.from({ length: count }, () => 'null').join(', ')
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(
    `explain execute of_task${values === '' ? '' : `(${values})`}`,
  )
  await client.query('deallocate of_task')
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

/** Notes the name of every statement. */
function noting(database: Database, sent: Set<string>): Database {
  const queriesOn = (queries: Queries): Queries => ({
    rows: <Row extends object>(statement: Statement, values?: readonly unknown[]) => {
      sent.add(statement.name)
      return queries.rows<Row>(statement, values)
    },
    count: (statement, values) => {
      sent.add(statement.name)
      return queries.count(statement, values)
    },
  })
  return {
    ...database,
    ...queriesOn(database),
    transaction: (work) => database.transaction((tx) => work(queriesOn(tx))),
  }
}
