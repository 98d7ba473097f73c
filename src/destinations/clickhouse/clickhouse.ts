import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type Connection, type Finding, type Kind, type KindDeps } from '../contract.ts'
import { countRemovals } from '../count-removals.ts'
import { type DatabaseAddress, databaseAddress } from '../database-address.ts'
import { explain, withDeliveryErrors } from '../driver-errors.ts'
import { sharedTables, shortText } from '../test-findings.ts'
import { type Client, createClient, quoted } from './client.ts'
import { SCHEMA_TABLE, TABLES, VERSIONS, VIEWS } from './tables.ts'
import { compareRows, removeFound } from './verify.ts'
import { erase, removeRows, writeBatch } from './write-batch.ts'

const addressOf = (url: string) => databaseAddress(url, ['clickhouse:'], 8443, 8123)

/** ClickHouse 18.16 and newer, over its HTTP interface. */
export const clickhouse: Kind = {
  options: z.strictObject({}),
  tables: VERSIONS.flat(),
  takesEvents: false,
  takesUnknownDeletes: true,
  checkAddress: addressOf,
  open: (deps, destination, secrets) => openClickhouse(deps, destination.id, addressOf(secrets.url)),
}

function openClickhouse(deps: KindDeps, id: string, address: DatabaseAddress): Connection {
  const closing = new AbortController()
  const client = createClient(deps, address, closing.signal)
  const withRetry = <Result>(work: () => Promise<Result>) => withDeliveryErrors(() => 'retry', work)
  return {
    prepare: () => withRetry(() => upgradeTables(client, deps.clock.now())),
    test: () => test(client, id, address.wantsPlain),
    write: (batch) => withRetry(() => writeBatch(client, batch, deps.clock.now())),
    erase: (erasure) => withRetry(() => erase(client, erasure, deps.clock.now())),
    verifier: {
      compare: (profileId, range, rows) => withRetry(() => compareRows(client, profileId, range, rows)),
      remove: (profileId, rows) => withRetry(() => removeFound(client, profileId, rows)),
    },
    drop: () =>
      countRemovals('of its tables and views', (removed) =>
        withRetry(async () => {
          for (const name of [...VIEWS, ...TABLES]) await client.run(`drop table if exists ${name}`).then(removed)
        }),
      ),
    close: async () => closing.abort(new Error('The connection was closed')),
  }
}

/** Creates and upgrades the tables, one version after the other. Processes that do so at once run the same statements. */
async function upgradeTables(client: Client, nowMs: number): Promise<void> {
  await client.run(SCHEMA_TABLE)
  const names = [...TABLES, ...VIEWS]
  const [found] = await client.rows(`select (select max(version) from tributary_schema) as version, count() as present
from system.tables where database = currentDatabase() and name in (${names.map(quoted).join(', ')})`)
  // If a table is missing, all statements run again; they keep what exists.
  const isComplete = Number(found?.['present']) === names.length
  for (let next = isComplete ? Number(found?.['version']) : 0; next < VERSIONS.length; next += 1) {
    for (const statement of VERSIONS[next]!) await client.run(statement)
    await client.insert('tributary_schema', [{ version: next + 1, applied_at: nowMs }])
  }
}

async function test(client: Client, id: string, isPlain: boolean): Promise<Finding[]> {
  const findings: Finding[] = []
  try {
    const [server] = await client.rows('select version() as version')
    const detail = `ClickHouse ${shortText(server?.['version']) ?? 'of an unknown version'}, ${isPlain ? 'without TLS' : 'TLS'}`
    findings.push({ check: 'connect', ok: true, detail })
    await tryPrivileges(client)
    findings.push({
      check: 'rights',
      ok: true,
      detail: 'may create tables and views, write and remove rows; nothing was left behind',
    })
    findings.push(...sharedTables(await findOthers(client, id)))
  } catch (error) {
    findings.push({ check: findings.length === 0 ? 'connect' : 'rights', ok: false, detail: explain(error) })
  }
  return findings
}

async function tryPrivileges(client: Client): Promise<void> {
  const name = `tributary_test_${randomBytes(4).toString('hex')}`
  try {
    await client.run(`create table ${name} (id UInt64) engine = ReplacingMergeTree(id) order by id`)
    await client.insert(name, [{ id: 1 }])
    await client.run(`create view ${name}_view as select id from ${name} final`)
    await removeRows(client, name, 'id = 1', 'id = 1')
    await client.run(`drop table ${name}_view`)
    await client.run(`drop table ${name}`)
  } catch (error) {
    // The first failure is reported; without the privilege to create there is often none to drop.
    for (const each of [`${name}_view`, name]) await client.run(`drop table if exists ${each}`).catch(() => {})
    throw error
  }
}

/** The other destinations that wrote into the same tables. */
async function findOthers(client: Client, id: string): Promise<{ id: unknown }[]> {
  const tables = await client.rows(
    `select name from system.tables where database = currentDatabase() and name = 'tributary_checkpoint'`,
  )
  if (tables.length === 0) return []
  const others = await client.rows(
    `select distinct destination_id as id from tributary_checkpoint where destination_id != ${quoted(id)} limit 5`,
  )
  return others.map((row) => ({ id: row['id'] }))
}
