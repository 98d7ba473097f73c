import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { Client } from 'pg'
import { encodeNumber } from '#platform/crypto/ids.ts'
import type { Queries, Statement } from '#platform/postgres/database.ts'
import { countFailures } from '#store/log/count-failures.ts'
import { findCalls, findDeliveries, findOperations, type LogFilter } from '#store/log/read-log.ts'
import { migrate } from '#store/migrate.ts'
import { type Opened, openFresh } from '../opened.ts'

/** Of a busy app: more than one request examines. */
const ROWS = 120_000

suite('plans of the log', () => {
  let opened: Opened
  let client: Client
  before(async () => {
    opened = await openFresh()
    await migrate(opened.database, 1)
    client = new Client({ connectionString: opened.url })
    await client.connect()
    const id = `'${encodeNumber(1_800_000_000_000, 10).slice(0, 4)}' || lpad(n::text, 24, '0')`
    await client.query(
      `insert into operation (shard, id, app_id, kind, service, account_id, at, ended_at, outcome, summary, steps)
       select n % 1024, ${id}, case when n % 10 = 0 then 'app_other' else 'app_busy' end, 'sync', 'demo-social', 'account' || n % 1000, n, n,
         case when n % 500 = 0 then 'failed' else 'ok' end, 'nothing', '[]' from generate_series(1, ${ROWS}) n`,
    )
    await client.query(
      `insert into call_log (shard, id, app_id, account_id, at, method, service, path, status, ms, bytes, refreshed, retried,
         request_id)
       select n % 1024, ${id}, case when n % 10 = 0 then 'app_other' else 'app_busy' end, 'account' || n % 1000, n, 'GET', 'demo-social', '/me', 200, 1, 1, false,
         false, 'r' from generate_series(1, ${ROWS}) n`,
    )
    await client.query(
      `insert into delivery (shard, id, destination_id, profile_id, at, ms, attempt, rows, ok)
       select n % 1024, ${id}, case when n % 10 = 0 then 'dst_other' else 'dst_busy' end, 'p', n, 1, 1, 1, true
       from generate_series(1, ${ROWS}) n`,
    )
    await client.query('analyze')
  })
  after(async () => {
    await client?.end()
    await opened?.close()
  })

  const filter: LogFilter = {
    appId: 'app_busy',
    before: '~',
    since: '',
    kind: null,
    outcome: null,
    reason: null,
    service: null,
    accountId: null,
    q: 'not-in-any-of-them',
    nowMs: 1,
    limit: 50,
  }
  const READS: [what: string, index: string, read: (queries: Queries) => Promise<unknown>][] = [
    ['sign-ins and syncs', 'operation_app', (queries) => findOperations(queries, filter)],
    ['those that failed', 'operation_trouble', (queries) => findOperations(queries, { ...filter, outcome: 'failed' })],
    [
      'those of an account',
      'operation_account',
      (queries) => findOperations(queries, { ...filter, accountId: 'account7' }),
    ],
    ['proxied calls', 'call_log_app', (queries) => findCalls(queries, filter)],
    ['deliveries', 'delivery_destination', (queries) => findDeliveries(queries, filter)],
  ]
  for (const [what, index, read] of READS)
    test(`${what} are read by ${index}, newest first, and no further than the limit`, async () => {
      const plans: string[] = []
      const explained: Queries = {
        rows: async <Row>(statement: Statement) => {
          if (statement.name === 'log-destinations') return [{ id: 'dst_busy', name: 'Busy' }] as Row[]
          const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${statement.text}`, [
            ...(statement.values ?? []),
          ])
          plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
          return []
        },
        count: async () => 0,
      }
      await read(explained)
      assert.equal(plans.length, 2)
      for (const plan of plans) {
        assert.ok(plan.includes(index), plan)
        assert.match(plan, /Limit/)
        assert.doesNotMatch(plan, /Seq Scan on (operation|call_log|delivery)/, plan)
        // Sorting would read all rows of a busy app before the first one is shown.
        if (index !== 'operation_account' && index !== 'operation_trouble') assert.doesNotMatch(plan, /Sort Key/, plan)
      }
    })

  test('what failed in a day is counted by operation_trouble, whatever else is logged', async () => {
    const plans: string[] = []
    const explained: Queries = {
      rows: async <Row>({ text, values = [] }: Statement) => {
        const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, [...values])
        plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
        return [] as Row[]
      },
      count: async () => 0,
    }
    await countFailures(explained, 1_800_000_000_000 - 86_400_000, 1_800_000_000_000)
    assert.equal(plans.length, 1)
    assert.match(plans[0]!, /operation_trouble/)
    assert.doesNotMatch(plans[0]!, /Seq Scan on operation/, plans[0])
  })
})
