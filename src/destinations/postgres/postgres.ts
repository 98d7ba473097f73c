import { Client } from 'pg'
import { z } from 'zod'
import { codeOf, isUnavailable } from '#platform/errors.ts'
import { type ClientPool, createClientPool } from '../client-pool.ts'
import type { Connection, DeliveryRecovery, Finding, Kind, KindDeps } from '../contract.ts'
import { databaseAddress } from '../database-address.ts'
import { explain, failing } from '../failure.ts'
import { ca, deletes, storedOptions, textOption } from '../options.ts'
import { sharing, shown } from '../rows.ts'
import { postgresSocket } from './checked-socket.ts'
import { erase, writeBatch } from './rows.ts'
import { FIND_OTHERS, TABLES, VERSIONS, VIEWS } from './tables.ts'
import { compareRows, removeFound } from './verify.ts'

const SCHEMES = ['postgres:', 'postgresql:']
const RESPONSE_MS = 30_000
/** Every value stays the text it came as: what a server calls a date or a document is not parsed. */
const AS_TEXT = { getTypeParser: () => (value: string | Buffer) => value }
// SQLSTATEs that blame the row: too long, wrong encoding, out of range, broken constraint. Sent again, it fails again.
const BLAMES_ROW = /^(22|23|54)/

const options = z.strictObject({
  schema: textOption(/^[a-z_][a-z0-9_]{0,62}$/, 'must be lower-case letters, digits and underscores')
    .optional()
    .describe("where the tables go; made if it is missing. Unset: the role's own search path"),
  ca,
  deletes,
})

/** PostgreSQL 15 and newer, and whatever speaks its protocol. */
export const postgres: Kind = {
  options,
  takesEvents: false,
  takesUnknownDeletes: true,
  checkAddress: (url) => void databaseAddress(url, SCHEMES, 5432),
  open: (deps, destination, secrets) => openPostgres(deps, destination.id, secrets.url, destination.options),
}

function openPostgres(deps: KindDeps, id: string, url: string, stored: Record<string, unknown>): Connection {
  const address = databaseAddress(url, SCHEMES, 5432)
  const { host, port, user, password, database } = address
  const { schema, ca, deletes } = storedOptions(options, stored)
  const hard = deletes === 'hard'
  const pool = createClientPool<Client>({
    open: () => {
      const line = postgresSocket(deps, address, ca)
      const driver = { application_name: 'tributary push', ssl: false, types: AS_TEXT, stream: () => line }
      // As a function: the driver would take an empty one for none, and look for the operator's own.
      const client = new Client({ host, port, user, password: () => password, database, ...driver })
      // What was asked fails by itself; an error beside it must not end the process.
      client.on('error', () => {})
      return { client, line, ready: client.connect() }
    },
    recover: (client) => client.query('rollback'),
    end: (client) => void client.end(),
  })
  const transaction = <Result>(work: (client: Client) => Promise<Result>) =>
    failing(recoveryOf, () => inTransaction(pool, schema, work))
  return {
    prepare: () => transaction((client) => evolve(client, schema)),
    test: () => test(pool, schema, id),
    write: (batch) => transaction((client) => writeBatch(client, batch, deps.clock.now(), hard)),
    erase: (erasure) => transaction((client) => erase(client, erasure, deps.clock.now())),
    reading: {
      compare: (profileId, span, rows) => transaction((client) => compareRows(client, profileId, span, rows)),
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

/** Tables are made and evolved by us, one version after the other, under a lock of their own. */
async function evolve(client: Client, schema: string | undefined): Promise<void> {
  await client.query('select pg_advisory_xact_lock(8042006)')
  await makeSchema(client, schema)
  await client.query(
    'create table if not exists tributary_schema (version integer primary key, applied_at timestamptz not null default now())',
  )
  const { rows } = await client.query<{ version: string; missing: string }>(
    `select (select coalesce(max(version), 0) from tributary_schema) as version,
       (select count(*)::integer from unnest($1::text[]) as name where to_regclass(name) is null) as missing`,
    [[...TABLES, ...VIEWS]],
  )
  const [found] = rows
  // Somebody took a table away: each statement may run again, and what is there stays.
  for (let next = found?.missing === '0' ? Number(found.version) : 0; next < VERSIONS.length; next += 1) {
    for (const statement of VERSIONS[next]!) await client.query(statement)
    await client.query('insert into tributary_schema (version) values ($1) on conflict do nothing', [next + 1])
  }
}

// Asked for first, because `if not exists` wants the right to create even when there is nothing to do.
async function makeSchema(client: Client, schema: string | undefined): Promise<void> {
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
      const detail = `${shown(rows[0]?.server) ?? 'a server without a version'}, ${shown(rows[0]?.tls) ?? 'without TLS'}`
      findings.push({ check: 'connect', ok: true, detail })
      const others = await tryRights(client, schema, id)
      findings.push({
        check: 'rights',
        ok: true,
        detail: 'may create tables and views and write; nothing was left behind',
      })
      findings.push(...sharing(others))
    })
  } catch (error) {
    findings.push({ check: findings.length === 0 ? 'connect' : 'rights', ok: false, detail: explain(error) })
  }
  return findings
}

/** Gives other destinations that wrote into the same tables. */
async function tryRights(client: Client, schema: string | undefined, id: string): Promise<{ id: unknown }[]> {
  await client.query(beginning(schema))
  await makeSchema(client, schema)
  await client.query('create table tributary_test (id integer)')
  await client.query('create view tributary_test_view as select id from tributary_test')
  await client.query('insert into tributary_test values (1)')
  const { rowCount: hasTables } = await client.query("select 1 where to_regclass('tributary_checkpoint') is not null")
  const others = hasTables === 0 ? [] : (await client.query<{ id: unknown }>(FIND_OTHERS, [id])).rows
  await client.query('rollback')
  return others
}

// Inside the transaction, because poolers refuse settings at the start and forget them in between.
function beginning(schema: string | undefined): string {
  const path = schema === undefined ? '' : `; set local search_path to ${schema}`
  return `begin; set local statement_timeout = ${RESPONSE_MS}; set local lock_timeout = 10000${path}`
}

function inTransaction<Result>(
  pool: ClientPool<Client>,
  schema: string | undefined,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  return pool.use(async (client) => {
    await client.query(beginning(schema))
    const result = await work(client)
    await client.query('commit')
    return result
  })
}

function recoveryOf(error: unknown): DeliveryRecovery {
  return BLAMES_ROW.test(codeOf(error) ?? '') && !isUnavailable(error) ? 'reject' : 'retry'
}
