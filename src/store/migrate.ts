import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SetupError } from '#base/errors.ts'
import { type Database, type Queries, statement } from './database.ts'

export interface Migration {
  name: string
  sql: string
  checksum: string
}

export interface MigrationPlan {
  done: string[]
  pending: Migration[]
}

const FOLDER = join(import.meta.dirname, '../../migrations')

// One number for all processes: whoever comes second waits for the first and then finds the work done.
const LOCK = 8_042_001

const makeTable = `create table if not exists migration (
  name text collate "C" primary key, checksum text not null, applied_at bigint not null)`
const listDone = statement('migration-list', 'select name, checksum from migration order by name')
const lock = statement('migration-lock', 'select pg_advisory_xact_lock($1)')
const record = statement('migration-record', 'insert into migration (name, checksum, applied_at) values ($1, $2, $3)')
const tableExists = statement('migration-table', `select to_regclass('migration') is not null as there`)
const serverVersion = statement(
  'server-version',
  `select current_setting('server_version_num')::int as number, current_setting('server_version') as text`,
)

export function readMigrations(folder = FOLDER): Migration[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => {
      const sql = readFileSync(join(folder, name), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    })
}

/** What is there and what is missing. Refuses a schema that a newer release wrote, or one whose past was edited. */
export async function planMigrations(database: Queries, migrations = readMigrations()): Promise<MigrationPlan> {
  await checkServer(database)
  const [table] = await database.rows<{ there: boolean }>(tableExists)
  const done = table?.there ? await database.rows<{ name: string; checksum: string }>(listDone) : []
  const known = new Map(migrations.map((each) => [each.name, each]))
  for (const { name, checksum } of done) {
    const ours = known.get(name)
    if (ours === undefined) throw newerSchema(name)
    if (ours.checksum !== checksum) throw editedPast(name)
  }
  const names = new Set(done.map(({ name }) => name))
  return { done: [...names], pending: migrations.filter(({ name }) => !names.has(name)) }
}

/** Applies what is missing, one transaction each: an interrupted run goes on where it stopped. */
export async function migrate(database: Database, nowMs: number, migrations = readMigrations()): Promise<string[]> {
  const { pending } = await planMigrations(database, migrations)
  if (pending.length === 0) return []
  await createTable(database)
  const applied: string[] = []
  for (const migration of pending) {
    const ran = await database.unhurried(async (tx) => {
      await tx.rows(lock, [LOCK])
      const done = await tx.rows<{ name: string }>(listDone)
      if (done.some(({ name }) => name === migration.name)) return false
      await tx.rows({ name: '', text: migration.sql })
      await tx.rows(record, [migration.name, migration.checksum, nowMs])
      return true
    })
    if (ran) applied.push(migration.name)
  }
  return applied
}

async function createTable(database: Database): Promise<void> {
  await database.unhurried(async (tx) => {
    await tx.rows(lock, [LOCK])
    await tx.rows({ name: '', text: makeTable })
  })
}

async function checkServer(database: Queries): Promise<void> {
  const [version] = await database.rows<{ number: number; text: string }>(serverVersion)
  if (version !== undefined && version.number >= 150_000) return
  throw new SetupError(`The database runs PostgreSQL ${version?.text}; Tributary needs 15 or newer.`, {
    code: 'database_too_old',
    help: 'Point DATABASE_URL at a PostgreSQL 15+ server, or unset it to use the embedded one.',
  })
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

function editedPast(name: string): SetupError {
  return new SetupError(`Migration ${name} differs from the one that was applied to this database.`, {
    code: 'schema_edited',
    help: `Migrations never change once applied. Restore migrations/${name} and put the change into a new file.`,
  })
}
