import { setTimeout as sleep } from 'node:timers/promises'
import { SetupError } from '#platform/errors.ts'
import { type Database, type Queries, statement } from '#platform/postgres/database.ts'
import { buildIndexes } from './build-indexes.ts'
import { watchNewTables } from './cluster/new-tables.ts'
import { type MigrationProgress, migrationFailed } from './migration-failed.ts'
import { type Migration, numberOf, readMigrations } from './read-migrations.ts'
import { splitStatements } from './split-statements.ts'

export interface MigrationPlan {
  done: string[]
  pending: Migration[]
}

// One lock for all processes: the second one waits for the first and then finds nothing left to do.
const LOCK = 8_042_001
const LOCK_RETRY_MS = 200

const createTable = `create table if not exists migration (
  name text collate "C" primary key, checksum text not null, applied_at bigint not null)`
const listDone = statement('migration-list', 'select name, checksum from migration order by name')
const tryLock = statement('migration-lock', 'select pg_try_advisory_xact_lock($lock) as locked')
const record = statement(
  'migration-record',
  'insert into migration (name, checksum, applied_at) values ($name, $checksum, $appliedAt)',
)
const tableExists = statement('migration-table', `select to_regclass('migration') is not null as exists`)
const serverVersion = statement(
  'server-version',
  `select current_setting('server_version_num')::int as number, current_setting('server_version') as text`,
)
// For this transaction only. An operator's time limits are meant for requests, not for migrations.
const disableTimeLimits = statement(
  'migration-no-time-limits',
  `select set_config(name, '0', true) from pg_settings
   where name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`,
)

// A statement with a name or values leaves its portal open in the transaction, and the portal keeps its snapshot. The
// next statement without them closes it.
const closePortal = { name: '', text: 'select 1' }

/** Which migrations are applied and which are pending. Rejects a schema of a newer release and edited migrations. */
export async function planMigrations(database: Queries, migrations = readMigrations()): Promise<MigrationPlan> {
  await checkServer(database)
  const [table] = await database.rows<{ exists: boolean }>(tableExists)
  const done = table?.exists ? await database.rows<{ name: string; checksum: string }>(listDone) : []
  requireKnown(done, migrations)
  const names = new Set(done.map(({ name }) => name))
  return { done: [...names], pending: migrations.filter(({ name }) => !names.has(name)) }
}

/** Rejects migrations that this release does not have, or has with another content. */
export function requireKnown(
  done: readonly { name: string; checksum: string }[],
  migrations: readonly Migration[] = readMigrations(),
): void {
  const known = new Map(migrations.map((each) => [each.name, each]))
  for (const { name, checksum } of done) {
    const migration = known.get(name)
    if (migration === undefined) throw unknownMigration(name, migrations)
    if (migration.checksum !== checksum) throw editedMigration(name)
  }
}

/**
 * Applies the pending migrations. Those before, between and after files that build indexes are one transaction, so a failure leaves
 * nothing of them, and the release before still starts unless an index file came first. After an interruption the next run continues.
 */
export async function migrate(database: Database, nowMs: number, migrations = readMigrations()): Promise<string[]> {
  const { done, pending } = await planMigrations(database, migrations)
  if (pending.length === 0) return []
  await withLock(database, (tx) => tx.rows({ name: '', text: createTable }))
  const applied: string[] = []
  for (const group of groupsOf(pending)) {
    const progress: MigrationProgress = { kept: [...done, ...applied] }
    try {
      applied.push(...(await withLock(database, (tx) => applyGroup(database, tx, group, nowMs, progress))))
    } catch (error) {
      throw migrationFailed(error, progress)
    }
  }
  return applied
}

/** Files that are one transaction; one that builds indexes is a group of its own. */
function groupsOf(pending: readonly Migration[]): Migration[][] {
  const groups: Migration[][] = []
  for (const migration of pending) {
    const last = groups.at(-1)
    if (last?.[0]?.indexSteps === undefined && last !== undefined && migration.indexSteps === undefined)
      last.push(migration)
    else groups.push([migration])
  }
  return groups
}

/** May run more than once, because a transaction that deadlocked is repeated. */
async function applyGroup(
  database: Database,
  tx: Queries,
  group: readonly Migration[],
  nowMs: number,
  progress: MigrationProgress,
): Promise<string[]> {
  const done = new Set((await tx.rows<{ name: string }>(listDone)).map(({ name }) => name))
  progress.kept = [...done]
  const applied: string[] = []
  for (const { name, sql, checksum, indexSteps } of group.filter((each) => !done.has(each.name))) {
    progress.migration = name
    if (indexSteps === undefined) await runStatements(tx, sql, progress)
    else {
      await tx.rows(closePortal)
      await database.dedicated((queries) => buildIndexes(queries, name, indexSteps))
    }
    await tx.rows(record.with({ name, checksum, appliedAt: nowMs }))
    applied.push(name)
  }
  return applied
}

/**
 * One by one, because a sharded server cannot send several at once to its nodes. There they also run one node after the other
 * (elsewhere the setting is unknown and ignored): else a transaction could not change a reference table after another one. Tables are
 * placed after the last statement of their file, because a table on the coordinator accepts every statement, and a placed one does not.
 */
async function runStatements(tx: Queries, sql: string, progress: MigrationProgress): Promise<void> {
  await tx.rows({ name: '', text: `set local citus.multi_shard_modify_mode = 'sequential'` })
  const { placeNewTables } = await watchNewTables(tx)
  for (const text of splitStatements(sql)) {
    progress.statement = text
    await tx.rows({ name: '', text })
  }
  progress.statement = undefined
  await placeNewTables(tx)
}

/**
 * One transaction under the lock that all processes share. `create index concurrently` on another connection waits for
 * every older snapshot, so no process may hold one meanwhile: the transaction is read committed, whatever the server's
 * default is, and a process that waits for the lock polls instead of waiting inside a statement.
 */
async function withLock<Result>(database: Database, work: (tx: Queries) => Promise<Result>): Promise<Result> {
  for (;;) {
    const run = await database.withoutTimeout(async (tx) => {
      await tx.rows({ name: '', text: 'set transaction isolation level read committed' })
      const [row] = await tx.rows<{ locked: boolean }>(tryLock.with({ lock: LOCK }))
      if (row?.locked !== true) return undefined
      await tx.rows(disableTimeLimits)
      return { result: await work(tx) }
    })
    if (run !== undefined) return run.result
    await sleep(LOCK_RETRY_MS)
  }
}

async function checkServer(database: Queries): Promise<void> {
  const [version] = await database.rows<{ number: number; text: string }>(serverVersion)
  if (version !== undefined && version.number >= 150_000) return
  throw new SetupError(`The database runs PostgreSQL ${version?.text}; Tributary needs 15 or newer.`, {
    code: 'database_too_old',
    help: 'Point DATABASE_URL at a PostgreSQL 15+ server, or unset it to use the embedded one.',
  })
}

function unknownMigration(name: string, migrations: readonly Migration[]): SetupError {
  const number = numberOf(name)
  const expected = migrations.find((each) => numberOf(each.name) === number)
  return number === undefined || expected === undefined ? newerSchema(name) : developmentSchema(name, expected.name)
}

function newerSchema(name: string): SetupError {
  return new SetupError(
    `The database was written by a newer Tributary: it has migration ${name}, which this release does not know.`,
    {
      code: 'schema_newer',
      help: 'Start the newer release again, or restore a backup from before the upgrade. Nothing was changed.',
    },
  )
}

/** This release uses the number for another file, so no release, older or newer, wrote the schema. */
function developmentSchema(name: string, expected: string): SetupError {
  const found = `it has migration ${name} where this release has ${expected}`
  return new SetupError(`The database was written by a development version of Tributary: ${found}.`, {
    code: 'schema_development',
    help: [
      'There is no upgrade from it, and nothing was changed. Start with an empty database:',
      'another data folder (--data DIR), or a new database on your server (createdb NAME) in DATABASE_URL.',
    ].join('\n'),
  })
}

function editedMigration(name: string): SetupError {
  return new SetupError(`Migration ${name} differs from the one that was applied to this database.`, {
    code: 'schema_edited',
    help: `Migrations never change once applied. Restore migrations/${name} and put the change into a new file.`,
  })
}
