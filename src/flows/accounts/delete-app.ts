import type { IdentityDeps } from '#identity/deps.ts'
import { eraseNextAccounts, finishDeletion } from '#identity/erase-app.ts'
import { ApiError } from '#model/errors.ts'
import { unconfirmedErasures } from '#store/app-remains.ts'
import type { AppDeletion } from '#store/apps/deletions.ts'
import * as deletions from '#store/apps/deletions.ts'
import { auditApp } from '#store/audit.ts'

/**
 * Longer than erasing one account takes when a service does not respond. After this, another process replaces one that
 * died.
 */
const LEASE_MS = 60_000
/** Limit: how long an app that is being deleted waits for its destinations to take out their rows; then it is deleted without their confirmation. */
const MAX_DESTINATION_WAIT_MS = 3 * 86_400_000

export type DeletionState = 'erasing' | 'waiting_for_destinations' | 'deleted'

/** The progress of a deletion, as the API and the CLI show it. */
export interface DeletionProgress {
  client_id: string
  name: string
  state: DeletionState
  started_at: number
  finished_at?: number
  accounts: number
  erased: number
  service_tokens: { revoked: number; refused: number; unreachable: number; not_offered: number }
  /** Erasures that destinations have not confirmed yet. */
  destinations_waiting?: number
  /** Destinations that were removed without their confirmation. */
  destinations_untold?: number
  error?: string
}

/**
 * Marks an app as being deleted: from then on its secret and its access tokens are refused. `continueDeletion` does the
 * rest, in any process and also after a restart. A second call only returns the progress.
 */
export async function beginDeletion(
  deps: IdentityDeps,
  appId: string,
  actor: string,
  { erase, giveUp = false }: { erase: boolean; giveUp?: boolean },
): Promise<DeletionProgress> {
  const now = deps.clock.now()
  await deps.database.transaction(async (tx) => {
    const app = await deletions.lockAppToDelete(tx, appId)
    if (app === undefined) throw new ApiError('not_found', `There is no app ${appId}.`)
    if (giveUp) await deletions.giveUpDestinations(tx, appId)
    if (app.isDeleting) return
    await deletions.insertAppDeletion(tx, { appId, name: app.name, actor, startedAt: now })
    if (giveUp) await deletions.giveUpDestinations(tx, appId)
    // Last: a sharded server does not change the app and its destinations after it has read every shard.
    const accounts = await deletions.countAppAccounts(tx, appId)
    if (accounts > 0 && !erase)
      throw new ApiError(
        'app_has_accounts',
        `${appId} has ${accounts} accounts. Deleting the app erases all of their data: repeat with erase=true (--erase) to confirm.`,
      )
    await deletions.setDeletionAccounts(tx, appId, accounts)
    await auditApp(tx, appId, { at: now, actor, action: 'app.delete_begin', detail: { accounts } })
  })
  return (await deletionProgress(deps, appId))!
}

/**
 * Does a part of one deletion; true if there was work. Every part is idempotent, also when two processes do it at once.
 */
export async function continueDeletion(deps: IdentityDeps, appId: string): Promise<boolean> {
  const now = deps.clock.now()
  const deletion = await deletions.leaseAppDeletion(deps.database, appId, now, now + LEASE_MS)
  if (deletion === undefined) return false
  try {
    const hasProgressed = await runStep(deps, deletion)
    await deletions.releaseAppDeletion(deps.database, appId)
    return hasProgressed
  } catch (error) {
    deps.log.error('deleting an app failed and will be retried', { app: appId, error })
    await deletions
      .releaseAppDeletion(deps.database, appId, 'A step failed and will be retried; the log has the error.')
      .catch((failure: unknown) => {
        // The lease expires, and then any worker continues.
        deps.log.warn('the lease on a deletion could not be released', { app: appId, error: failure })
      })
    return false
  }
}

/** For the worker's loop: continues every open deletion. Returns how many progressed. */
export async function continueDeletions(deps: IdentityDeps): Promise<number> {
  let progressed = 0
  for (const appId of await deletions.openAppDeletions(deps.database, deps.clock.now()))
    if (await continueDeletion(deps, appId)) progressed += 1
  return progressed
}

/** Whether no deletion can continue until then, as far as is written now. */
export async function isNoDeletionOpen(
  { database }: Pick<IdentityDeps, 'database'>,
  untilMs: number,
): Promise<boolean> {
  return (await deletions.openAppDeletions(database, untilMs)).length === 0
}

async function runStep(deps: IdentityDeps, deletion: AppDeletion): Promise<boolean> {
  const { appId } = deletion
  if (await eraseNextAccounts(deps, deletion, () => deps.clock.now() + LEASE_MS)) return true
  const open = await unconfirmedErasures(deps.database, appId)
  if (open.waiting > 0) {
    const { sinceMs, giveUp } = await deletions.markWaiting(deps.database, appId, deps.clock.now())
    if (!giveUp && deps.clock.now() - sinceMs < MAX_DESTINATION_WAIT_MS) return false
  }
  await finishDeletion(deps, deletion, open.destinations)
  return true
}

/** Undefined if no deletion of the app was requested, or its record was purged. */
export async function deletionProgress(
  { database }: Pick<IdentityDeps, 'database'>,
  appId: string,
): Promise<DeletionProgress | undefined> {
  const deletion = await deletions.findAppDeletion(database, appId)
  return deletion && present({ database }, deletion)
}

export async function listDeletions({ database }: Pick<IdentityDeps, 'database'>): Promise<DeletionProgress[]> {
  const shown: DeletionProgress[] = []
  for (const deletion of await deletions.listAppDeletions(database)) shown.push(await present({ database }, deletion))
  return shown
}

async function present({ database }: Pick<IdentityDeps, 'database'>, deletion: AppDeletion): Promise<DeletionProgress> {
  const { finishedAt, waitingSince } = deletion
  const isWaiting = finishedAt === undefined && waitingSince !== undefined
  return {
    client_id: deletion.appId,
    name: deletion.name,
    state: finishedAt !== undefined ? 'deleted' : isWaiting ? 'waiting_for_destinations' : 'erasing',
    started_at: deletion.startedAt,
    ...(finishedAt === undefined ? {} : { finished_at: finishedAt }),
    accounts: deletion.accounts,
    erased: deletion.erased,
    service_tokens: {
      revoked: deletion.revoked,
      refused: deletion.refused,
      unreachable: deletion.unreachable,
      not_offered: deletion.notOffered,
    },
    ...(isWaiting ? { destinations_waiting: (await unconfirmedErasures(database, deletion.appId)).waiting } : {}),
    ...(deletion.unconfirmed > 0 ? { destinations_untold: deletion.unconfirmed } : {}),
    ...(deletion.error === undefined ? {} : { error: deletion.error }),
  }
}
