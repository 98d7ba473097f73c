import { createReadStream, createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { Clock } from '#platform/clock.ts'
import { Keyring } from '#platform/crypto/sealing.ts'
import { codeOf, SetupError } from '#platform/errors.ts'
import type { Database } from '#platform/postgres/database.ts'
import { damaged } from '#store/backup/frames.ts'
import { type OpenBackup, openBackup, restoreBackup, verifyBackup } from '#store/backup/read-backup.ts'
import { type BackupCounts, type BackupHeader, writeBackup } from '#store/backup/write-backup.ts'
import { planMigrations } from '#store/migrate.ts'
import { openVault } from '#store/vault.ts'
import { openKeys, sealKeys } from './sealed-keys.ts'

export interface BackupDeps {
  database: Database
  clock: Clock
}

const OWNER_ONLY = 0o600

/** Writes one moment of the database to a file, and the sealing keys if there is a passphrase for them. */
export async function createBackup(
  { database, clock }: BackupDeps,
  path: string,
  options: { version: string; keys: readonly Buffer[]; passphrase: string | undefined },
): Promise<BackupCounts & { createdAt: number }> {
  const { done } = await planMigrations(database)
  if (done.length === 0)
    throw new SetupError('The database has no tables of Tributary: there is nothing to back up.', {
      code: 'backup_nothing',
      help: 'Check --data DIR or DATABASE_URL.',
    })
  const counts = { tables: 0, bytes: 0 }
  const keys = options.passphrase === undefined ? undefined : sealKeys(options.keys, options.passphrase)
  const head = { version: options.version, created_at: clock.now(), keys }
  await database.copying((connection) =>
    pipeline(
      Readable.from(writeBackup(connection, head, counts)),
      createGzip({ level: 4 }),
      createWriteStream(path, { flags: 'wx', mode: OWNER_ONLY, flush: true }),
    ),
  )
  return { ...counts, createdAt: head.created_at }
}

/** Reads a whole backup without a database. */
export async function checkBackup(
  path: string,
  keys: readonly Buffer[] | undefined,
  passphrase: string | undefined,
): Promise<BackupCounts & { header: BackupHeader; opens: boolean | undefined }> {
  return withBackup(path, async (backup) => {
    const { header } = backup
    const known = passphrase === undefined || header.keys === undefined ? keys : openKeys(header.keys, passphrase)
    const counts = await verifyBackup(backup)
    return { ...counts, header, opens: known === undefined ? undefined : opensWith(header, known) }
  })
}

/**
 * Loads a backup. `useKeys` gets the keys of the backup when the database accepts it, before any row is written; without keys in the
 * backup, `keys` must open its values.
 */
export async function loadBackup(
  { database, clock }: BackupDeps,
  path: string,
  options: {
    force: boolean
    keys: readonly Buffer[]
    passphrase: string | undefined
    useKeys: (keys: Buffer[]) => void
  },
): Promise<BackupCounts & { header: BackupHeader }> {
  return withBackup(path, async (backup) => {
    const { header } = backup
    const { passphrase, keys, useKeys, force } = options
    const included =
      passphrase === undefined || header.keys === undefined ? undefined : openKeys(header.keys, passphrase)
    if (header.vault !== undefined) openVault(Buffer.from(header.vault, 'base64'), new Keyring([...(included ?? keys)]))
    const beforeRows = () => {
      if (included !== undefined) useKeys(included)
    }
    return { header, ...(await restoreBackup(database, backup, { force, nowMs: clock.now(), beforeRows })) }
  })
}

function opensWith({ vault }: BackupHeader, keys: readonly Buffer[]): boolean {
  if (vault === undefined) return true
  try {
    openVault(Buffer.from(vault, 'base64'), new Keyring([...keys]))
    return true
  } catch (error) {
    if (codeOf(error) === 'key_wrong') return false
    throw error
  }
}

async function withBackup<Result>(path: string, work: (backup: OpenBackup) => Promise<Result>): Promise<Result> {
  const file = createReadStream(path)
  const bytes = createGunzip()
  // Reported by the reader of `bytes`.
  const reading = pipeline(file, bytes).catch(() => {})
  try {
    return await work(await openBackup(bytes))
  } catch (error) {
    throw readable(error, path)
  } finally {
    bytes.destroy()
    file.destroy()
    await reading
  }
}

/** Errors of the file and of its compression, as what they mean. */
function readable(error: unknown, path: string): unknown {
  const code = codeOf(error) ?? ''
  if (/^Z_|^ERR_STREAM_PREMATURE_CLOSE$/.test(code)) return damaged('it ends too early, or is not a backup')
  if (!['ENOENT', 'EACCES', 'EISDIR'].includes(code)) return error
  return new SetupError(`The backup ${path} cannot be read (${code}).`, {
    code: 'backup_unreadable',
    help: 'Check its path, owner and mode.',
    cause: error,
  })
}
