import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { knownStatements } from '#platform/postgres/database.ts'
import { makeApp } from '../../harness/app.ts'
import type { Sql } from '../../harness/database/sql.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'
import { until } from '../../harness/until.ts'
import { DASHBOARD_PAGES, loadPage, pausedDestination } from '../../long/dashboard-pages.ts'
import { seedInstallation } from '../../long/dashboard-seed.ts'

/** The index that each statement of a list or an overview must be able to use. */
const INDEXES: Record<string, string> = {
  'account-page': 'account_app',
  'account-matches': 'profile_of_app',
  'account-people': 'profile_person_terms',
  'account-reasons': 'endpoint_sync_reason',
  'account-count-matching': 'profile_of_app',
  'account-count-people': 'profile_person_terms',
  'overview-profiles': 'profile_of_app',
  'overview-reasons': 'endpoint_sync_reason',
  'overview-failed': 'delivery_failed',
  'overview-failures': 'operation_trouble',
  'item-hour-sums': 'item_hour_by_hour',
  'person-terms-missing': 'profile_without_terms',
}

/** With few rows the planner would rather read the whole table: that is made expensive, so that it uses an index where it can. */
const SETTINGS = 'set enable_seqscan = off; set plan_cache_mode = force_generic_plan'

/**
 * Only the index of all its columns spares a statement the rows, which the planner knows when a vacuum has marked their pages. A
 * transaction beside it may keep a page from that.
 */
async function vacuumed(sql: Sql): Promise<void> {
  await until('every page of the profiles is marked', async () => {
    await sql('vacuum analyze profile')
    const [row] = await sql<{ marked: boolean }>(
      `select bool_and(relallvisible >= relpages) as marked from pg_class
       where relkind = 'r' and oid in (select relid from pg_partition_tree('profile') union select 'profile'::regclass)`,
    )
    return row!.marked
  })
}

async function planOf(sql: Sql, text: string): Promise<string> {
  await sql(`${SETTINGS}; prepare dashboard_plan as ${text}`)
  const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)))
  const values = Array.from({ length: count }, () => 'null').join(', ')
  const rows = await sql<{ 'QUERY PLAN': string }>(
    `explain execute dashboard_plan${values === '' ? '' : `(${values})`}`,
  )
  await sql('deallocate dashboard_plan')
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

suite('the dashboard with some accounts', () => {
  let tributary: Tributary
  let app: string
  let destination: string
  let accounts: string[]
  before(async () => {
    tributary = await startTributary()
    app = (await makeApp(tributary)).clientId
    destination = await pausedDestination(tributary, app)
    const size = { accounts: 60, profilesPerAccount: 3, items: 360 }
    accounts = await seedInstallation(tributary.sql, { app, destination }, size)
    // With few apps the index of all accounts serves as well, and which one the planner takes would be luck.
    await tributary.sql(
      `insert into account (shard, id, app_id, shards, created_at)
       select n % 1024, 'other' || lpad(n::text, 23, '0'), 'app' || n, array[(n % 1024)::smallint], 0
       from generate_series(1, 600) n`,
    )
    await tributary.sql('analyze account')
  })
  after(() => tributary.stop())

  for (const [name, requestsOf] of Object.entries(DASHBOARD_PAGES))
    test(`loads the page: ${name}`, async () => {
      const subject = { app, account: accounts[0]!, destination, person: 'person1 hop' }
      await loadPage(tributary, requestsOf(subject), subject)
    })

  for (const [name, index] of Object.entries(INDEXES))
    test(`${name} uses ${index}`, async () => {
      const found = knownStatements().find((each) => each.name === name)
      assert.ok(found !== undefined, `no statement ${name}`)
      await vacuumed(tributary.sql)
      const plan = await planOf(tributary.sql, found.text)
      // Partitions name their indexes by their columns.
      if (/_p\d+_/.test(plan))
        assert.doesNotMatch(plan, /Seq Scan on (?:account|profile|endpoint|item|delivery|operation)/)
      else assert.match(plan, new RegExp(`\\b${index}`))
    })
})
