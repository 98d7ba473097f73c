import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { codeOf, SetupError } from '#platform/errors.ts'
import type { CopyConnection } from '#platform/postgres/copy.ts'
import type { Database } from '#platform/postgres/database.ts'
import { migrate, planMigrations, requireKnown } from '../migrate.ts'
import { readMigrations } from '../read-migrations.ts'
import { damaged, type Frame, parseContent, readFrames } from './frames.ts'
import { type BackupTable, backupTables, copyInText, hasRows, truncateText } from './tables.ts'
import type { BackupCounts, BackupHeader } from './write-backup.ts'

/** Values that are not of their type, or that break a constraint. The checksum at the end would have told the same. */
const REFUSED_ROWS = /^2[23]/

/** A backup file whose header was read. */
export interface OpenBackup {
  header: BackupHeader
  frames: AsyncGenerator<Frame>
}

/** Reads the header. Rejects other files, and a schema that this release does not know. */
export async function openBackup(bytes: AsyncIterable<Buffer>): Promise<OpenBackup> {
  const frames = readFrames(bytes)
  const { value: first } = await frames.next()
  const header = first?.type === 'header' ? (parseContent(first) as BackupHeader) : undefined
  if (header?.format !== 1 || !Array.isArray(header.migrations)) throw damaged('it does not begin as a backup')
  requireKnown(header.migrations)
  return { header, frames }
}

/** Reads the rest of a backup, which proves its checksum, and counts what is in it. */
export async function verifyBackup({ frames }: OpenBackup): Promise<BackupCounts> {
  const counts = { tables: 0, bytes: 0 }
  for await (const { type, content } of frames) {
    if (type === 'table') counts.tables += 1
    if (type === 'data') counts.bytes += content.length
  }
  return counts
}

/**
 * Loads a backup in one transaction, which is committed only when the checksum is right; an interruption leaves an empty database. Older
 * backups are loaded into their own schema, which is migrated afterwards.
 */
export async function restoreBackup(
  database: Database,
  { header, frames }: OpenBackup,
  options: { force: boolean; nowMs: number; beforeRows: () => void },
): Promise<BackupCounts> {
  await requireSchema(database, header)
  const names = new Set(header.migrations.map(({ name }) => name))
  await migrate(
    database,
    options.nowMs,
    readMigrations().filter(({ name }) => names.has(name)),
  )
  const counts = await database.copying(async (connection) => {
    await connection.run('begin')
    for (const setting of ['statement_timeout', 'idle_in_transaction_session_timeout'])
      await connection.run(`set local ${setting} = 0`)
    await connection.run(`set local client_encoding = 'UTF8'`)
    const tables = await backupTables(connection)
    await makeRoom(connection, tables, options.force)
    options.beforeRows()
    const loaded = await load(connection, tables, frames)
    await connection.run('commit')
    return loaded
  })
  await migrate(database, options.nowMs)
  return counts
}

async function load(
  connection: CopyConnection,
  tables: readonly BackupTable[],
  frames: AsyncGenerator<Frame>,
): Promise<BackupCounts> {
  const counts = { tables: 0, bytes: 0 }
  let frame = await nextOf(frames)
  async function* rows(target: Writable): AsyncGenerator<Buffer> {
    for (frame = await nextOf(frames); frame?.type === 'data' && !target.destroyed; frame = await nextOf(frames)) {
      counts.bytes += frame.content.length
      yield frame.content
    }
  }
  try {
    while (frame !== undefined) {
      if (frame.type === 'data') throw damaged('rows without a table')
      if (frame.type === 'table') {
        const target = connection.copyIn(copyInText(requireTable(parseContent(frame), tables)))
        counts.tables += 1
        await pipeline(rows(target), target)
      } else frame = await nextOf(frames)
    }
  } catch (error) {
    throw REFUSED_ROWS.test(codeOf(error) ?? '') ? damaged('the database refuses its rows') : error
  }
  return counts
}

async function nextOf(frames: AsyncGenerator<Frame>): Promise<Frame | undefined> {
  const { value, done } = await frames.next()
  return done === true ? undefined : value
}

/** Only tables and columns of the schema: a made-up file cannot write anywhere else. */
function requireTable(given: unknown, tables: readonly BackupTable[]): BackupTable {
  const { name, columns } = (given ?? {}) as { name?: unknown; columns?: unknown }
  const known = tables.find((table) => table.name === name)
  if (known === undefined || !Array.isArray(columns) || !columns.every((column) => known.columns.includes(column)))
    throw damaged('it has a table that its schema does not have')
  return { name: known.name, columns: columns as string[] }
}

async function requireSchema(database: Database, header: BackupHeader): Promise<void> {
  const { done } = await planMigrations(database)
  const newer = done.filter((name) => !header.migrations.some((each) => each.name === name))
  if (newer.length === 0) return
  throw new SetupError(`The database already has a newer schema than the backup (${newer[0]}).`, {
    code: 'backup_schema',
    help: 'Restore into a new database without tables: another data folder (--data DIR), or another DATABASE_URL. It is upgraded afterwards.',
  })
}

async function makeRoom(connection: CopyConnection, tables: readonly BackupTable[], force: boolean): Promise<void> {
  const filled: string[] = []
  for (const table of tables) if (await hasRows(connection, table)) filled.push(table.name)
  if (filled.length === 0) return
  if (force) {
    await connection.run(truncateText(tables))
    return
  }
  throw new SetupError(`The database is not empty: ${filled.slice(0, 5).join(', ')} have rows. Nothing was changed.`, {
    code: 'backup_not_empty',
    help: 'Restore into an empty database, or replace everything in this one: stop every process, then add --force.',
  })
}
