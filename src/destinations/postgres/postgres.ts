import { Client } from 'pg'
import { z } from 'zod'
import { codeOf, isUnavailable } from '#platform/errors.ts'
import { type ClientPool, createClientPool } from '../client-pool.ts'
import type { Connection, DeliveryRecovery, Finding, Kind, KindDeps } from '../contract.ts'
import { databaseAddress } from '../database-address.ts'
import { explain, withDeliveryErrors } from '../driver-errors.ts'
import { ca, deletes, storedOptions, textOption } from '../options.ts'
import { sharedTables, shortText } from '../test-findings.ts'
import { postgresSocket } from './socket.ts'
import { FIND_OTHERS, TABLES, VERSIONS, VIEWS } from './tables.ts'
import { compareRows, removeFound } from './verify.ts'
import { erase, writeBatch } from './write-batch.ts'

const SCHEMES = ['postgres:', 'postgresql:']
const RESPONSE_MS = 30_000
/** Values stay text: dates and documents of an untrusted server are not parsed. */
const AS_TEXT = { getTypeParser: () => (value: string | Buffer) => value }
// SQLSTATEs caused by the row: too long, wrong encoding, out of range, violated constraint. A retry would fail again.
const ROW_ERRORS = /^(22|23|54)/

const options = z.strictObject({
  schema: textOption(/^[a-z_][a-z0-9_]{0,62}$/, 'must be lower-case letters, digits and underscores')
    .optional()
    .describe("schema of the tables; created if it is missing. Unset: the role's own search path"),
  ca,
  deletes,
})

/** PostgreSQL 15 and newer, and servers that are compatible with it. */
export const postgres: Kind = {
  options,
  tables: VERSIONS.flat(),
  takesEvents: false,
  takesUnknownDeletes: true,
  checkAddress: (url) => databaseAddress(url, SCHEMES, 5432),
  open: (deps, destination, secrets) => openPostgres(deps, destination.id, secrets.url, destination.options),
}

function openPostgres(deps: KindDeps, id: string, url: string, stored: Record<string, unknown>): Connection {
  const address = databaseAddress(url, SCHEMES, 5432)
  const { host, port, user, password, database } = address
  const { schema, ca, deletes } = storedOptions(options, stored)
  const hardDeletes = deletes === 'hard'
  const pool = createClientPool<Client>({
    open: () => {
      const socket = postgresSocket(deps, address, ca)
      const driver = { application_name: 'tributary push', ssl: false, types: AS_TEXT, stream: () => socket }
      // A function, because the driver treats an empty password as none and would look for the operator's own.
      const client = new Client({ host, port, user, password: () => password, database, ...driver })
      // The pending statement fails with its own error; this event must not end the process.
      client.on('error', () => {})
      return { client, socket, ready: client.connect() }
    },
    recover: (client) => client.query('rollback'),
    end: (client) => void client.end(),
  })
  const transaction = <Result>(work: (client: Client) => Promise<Result>) =>
    withDeliveryErrors(recoveryOf, () => inTransaction(pool, schema, work))
  return {
    prepare: () => transaction((client) => upgradeTables(client, schema)),
    test: () => test(pool, schema, id),
    write: (batch) => transaction((client) => writeBatch(client, batch, deps.clock.now(), hardDeletes)),
    erase: (erasure) => transaction((client) => erase(client, erasure, deps.clock.now())),
    verifier: {
      compare: (profileId, range, rows) => transaction((client) => compareRows(client, profileId, range, rows)),
      remove: (profileId, rows) => transaction((client) => removeFound(client, profileId, rows)),
    },
    drop: () =>
      transaction(async (client) => {
        for (const view of VIEWS) await client.query(`drop view if exists ${view}`)
        for (const table of TABLES) await client.query(`drop table if exists ${table}`)
      }),
    close: () => pool.close(),
  }
}

/** Creates and upgrades the tables, one version after the other, under an advisory lock. */
async function upgradeTables(client: Client, schema: string | undefined): Promise<void> {
  await client.query('select pg_advisory_xact_lock(8042006)')
  await createSchema(client, schema)
  await client.query(
    'create table if not exists tributary_schema (version integer primary key, applied_at timestamptz not null default now())',
  )
  const { rows } = await client.query<{ version: string; missing: string }>(
    `select (select coalesce(max(version), 0) from tributary_schema) as version,
       (select count(*)::integer from unnest($1::text[]) as name where to_regclass(name) is null) as missing`,
    [[...TABLES, ...VIEWS]],
  )
  const [found] = rows
  // If a table is missing, all statements run again; they keep what exists.
  for (let next = found?.missing === '0' ? Number(found.version) : 0; next < VERSIONS.length; next += 1) {
    for (const statement of VERSIONS[next]!) await client.query(statement)
    await client.query('insert into tributary_schema (version) values ($1) on conflict do nothing', [next + 1])
  }
}

// Looked up first, because `if not exists` requires the privilege to create even when the schema exists.
async function createSchema(client: Client, schema: string | undefined): Promise<void> {
  if (schema === undefined) return
  const { rowCount } = await client.query('select 1 from pg_namespace where nspname = $1', [schema])
  if (rowCount === 0) await client.query(`create schema ${schema}`)
}

async function test(pool: ClientPool<Client>, schema: string | undefined, id: string): Promise<Finding[]> {
  const findings: Finding[] = []
  try {
    await pool.use(async (client) => {
      const { rows } = await client.query<Record<'server' | 'tls', unknown>>(
        "select split_part(version(), ' on ', 1) as server, (select version from pg_stat_ssl where pid = pg_backend_pid()) as tls",
      )
      const detail = `${shortText(rows[0]?.server) ?? 'unknown version'}, ${shortText(rows[0]?.tls) ?? 'without TLS'}`
      findings.push({ check: 'connect', ok: true, detail })
      const others = await tryPrivileges(client, schema, id)
      findings.push({
        check: 'rights',
        ok: true,
        detail: 'may create tables and views and write; nothing was left behind',
      })
      findings.push(...sharedTables(others))
    })
  } catch (error) {
    findings.push({ check: findings.length === 0 ? 'connect' : 'rights', ok: false, detail: explain(error) })
  }
  return findings
}

/** Returns the other destinations that wrote into the same tables. */
async function tryPrivileges(client: Client, schema: string | undefined, id: string): Promise<{ id: unknown }[]> {
  await client.query(beginStatement(schema))
  await createSchema(client, schema)
  await client.query('create table tributary_test (id integer)')
  await client.query('create view tributary_test_view as select id from tributary_test')
  await client.query('insert into tributary_test values (1)')
  const { rowCount: hasTables } = await client.query("select 1 where to_regclass('tributary_checkpoint') is not null")
  const others = hasTables === 0 ? [] : (await client.query<{ id: unknown }>(FIND_OTHERS, [id])).rows
  await client.query('rollback')
  return others
}

// Set inside the transaction, because poolers refuse settings at connect and drop them between transactions.
function beginStatement(schema: string | undefined): string {
  const path = schema === undefined ? '' : `; set local search_path to ${schema}`
  return `begin; set local statement_timeout = ${RESPONSE_MS}; set local lock_timeout = 10000${path}`
}

function inTransaction<Result>(
  pool: ClientPool<Client>,
  schema: string | undefined,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  return pool.use(async (client) => {
    await client.query(beginStatement(schema))
    const result = await work(client)
    await client.query('commit')
    return result
  })
}

function recoveryOf(error: unknown): DeliveryRecovery {
  return ROW_ERRORS.test(codeOf(error) ?? '') && !isUnavailable(error) ? 'reject' : 'retry'
}
