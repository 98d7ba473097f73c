import type { Clock } from '#platform/clock.ts'
import type { Database, Queries } from '#platform/postgres/database.ts'
import { auditInstallation } from '#store/audit.ts'
import { listAudit } from '#store/audit-log.ts'
import type { Diagnosis } from './diagnosis.ts'

// Backups are known from the audit log: what a command records there is seen by every process, and needs no file beside the database.

/** The newest backup that `tributary backup create` wrote. Copies that the database server makes are not known. */
export interface LastBackup {
  created_at: number
  bytes: number
  tables: number
  /** Whether the sealing keys are in it. */
  keys_included: boolean
  /** When it was read again and found intact. */
  verified_at?: number
  /** Whether there should be a newer one. */
  old: boolean
}

interface BackupDeps {
  database: Database
  clock: Clock
}

const CREATE = 'backup.create'
const VERIFY = 'backup.verify'
const ACTOR = 'cli'
const DAY_MS = 86_400_000
/** A newest backup that is older than this is reported. */
export const OLD_BACKUP_MS = 7 * DAY_MS
/** Limit: newest verifications that are searched for that of the last backup. */
const MAX_VERIFICATIONS = 50
/** Sorts after every id. */
const LAST = '~'

export async function recordBackup(
  { database, clock }: BackupDeps,
  backup: { createdAt: number; bytes: number; tables: number; keysIncluded: boolean; isVerified: boolean },
): Promise<void> {
  const at = clock.now()
  const detail = {
    created_at: backup.createdAt,
    bytes: backup.bytes,
    tables: backup.tables,
    keys_included: backup.keysIncluded,
    ...(backup.isVerified ? { verified_at: at } : {}),
  }
  await auditInstallation(database, { at, actor: ACTOR, action: CREATE, detail })
}

/** A backup is known by its moment; that of another installation has another one. */
export async function recordVerification({ database, clock }: BackupDeps, createdAt: number): Promise<void> {
  const detail = { created_at: createdAt }
  await auditInstallation(database, { at: clock.now(), actor: ACTOR, action: VERIFY, detail })
}

export async function readLastBackup(queries: Queries, nowMs: number): Promise<LastBackup | undefined> {
  const newest = (action: string, limit: number) => listAudit(queries, { action, from: '', before: LAST }, limit)
  const [created] = await newest(CREATE, 1)
  if (created === undefined) return undefined
  const { detail } = created
  const createdAt = numberOf(detail['created_at']) ?? created.at
  const verifiedAt =
    numberOf(detail['verified_at']) ??
    (await newest(VERIFY, MAX_VERIFICATIONS)).find((each) => each.detail['created_at'] === createdAt)?.at
  return {
    created_at: createdAt,
    bytes: numberOf(detail['bytes']) ?? 0,
    tables: numberOf(detail['tables']) ?? 0,
    keys_included: detail['keys_included'] === true,
    ...(verifiedAt === undefined ? {} : { verified_at: verifiedAt }),
    old: nowMs - createdAt > OLD_BACKUP_MS,
  }
}

/** For `tributary doctor`. Without a recorded backup it says so and does not warn: the server may be backed up in another way. */
export async function checkLastBackup(queries: Queries, nowMs: number): Promise<Diagnosis> {
  const last = await readLastBackup(queries, nowMs)
  if (last === undefined)
    return { name: 'backup', state: 'ok', detail: 'none by “tributary backup create” is recorded' }
  const days = Math.floor((nowMs - last.created_at) / DAY_MS)
  const detail = `${new Date(last.created_at).toISOString()}, ${last.verified_at === undefined ? 'not verified' : 'verified'}`
  return last.old
    ? {
        name: 'backup',
        state: 'warn',
        detail: `${detail}, ${days} days ago`,
        help: 'Run: tributary backup create FILE',
      }
    : { name: 'backup', state: 'ok', detail }
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
