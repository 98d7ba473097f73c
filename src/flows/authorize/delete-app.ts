import { ApiError } from '#model/errors.ts'
import type { AppDeletion } from '#store/apps/deletions.ts'
import * as deletions from '#store/apps/deletions.ts'
import { unconfirmedErasures } from '#store/apps/remains.ts'
import { auditApp } from '#store/audit.ts'
import type { AuthorizeDeps } from './deps.ts'
import { eraseSome, finishApp } from './erase-app.ts'

/** Longer than erasing one account takes, with a service that does not answer. A process that died is followed after this. */
const LEASE_MS = 60_000
/** Limit: how long an app that is being deleted waits for its destinations to take out their rows; then it goes without their word. */
const MAX_DESTINATION_WAIT_MS = 3 * 86_400_000

export type DeletionState = 'erasing' | 'waiting_for_destinations' | 'deleted'

/** How far a deletion is, as the API and the CLI show it. */
export interface DeletionProgress {
  client_id: string
  name: string
  state: DeletionState
  started_at: number
  finished_at?: number
  accounts: number
  erased: number
  service_tokens: { revoked: number; not_supported: number; failed: number }
  /** Erasures that destinations have not confirmed yet. */
  destinations_waiting?: number
  /** Destinations that were dropped without having confirmed. */
  destinations_untold?: number
  error?: string
}

/**
 * Marks an app as being deleted: from this moment its secret and its people's tokens are refused. What follows is done by
 * `continueDeletion`, in any process, and goes on after a restart. Asked again, it only tells how far it is.
 */
export async function beginDeletion(
  deps: AuthorizeDeps,
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
    const accounts = await deletions.countAppAccounts(tx, appId)
    if (accounts > 0 && !erase)
      throw new ApiError(
        'app_has_accounts',
        `${appId} has ${accounts} accounts. Deleting it erases everything of them: say erase=true (--erase) if that is meant.`,
      )
    await deletions.insertAppDeletion(tx, { appId, name: app.name, actor, startedAt: now, accounts })
    if (giveUp) await deletions.giveUpDestinations(tx, appId)
    await auditApp(tx, appId, { at: now, actor, action: 'app.delete_begin', detail: { accounts } })
  })
  return (await deletionProgress(deps, appId))!
}

/** Some of the work of one deletion; true when something was done. Everything of it may be repeated, and by two at once. */
export async function continueDeletion(deps: AuthorizeDeps, appId: string): Promise<boolean> {
  const now = deps.clock.now()
  const deletion = await deletions.leaseAppDeletion(deps.database, appId, now, now + LEASE_MS)
  if (deletion === undefined) return false
  try {
    const moved = await step(deps, deletion)
    await deletions.releaseAppDeletion(deps.database, appId)
    return moved
  } catch (error) {
    deps.log.error('deleting an app met an error and goes on', { app: appId, error })
    await deletions
      .releaseAppDeletion(deps.database, appId, 'It met an error and goes on; the log has it.')
      .catch((failure: unknown) => {
        // Its lease ends by itself, and the next worker goes on.
        deps.log.warn('the lease on a deletion could not be given back', { app: appId, error: failure })
      })
    return false
  }
}

/** For the worker's loop: what was begun in any process, before any restart. Gives how many moved. */
export async function continueDeletions(deps: AuthorizeDeps): Promise<number> {
  let moved = 0
  for (const appId of await deletions.openAppDeletions(deps.database, deps.clock.now()))
    if (await continueDeletion(deps, appId)) moved += 1
  return moved
}

async function step(deps: AuthorizeDeps, deletion: AppDeletion): Promise<boolean> {
  const { appId } = deletion
  if (await eraseSome(deps, deletion, () => deps.clock.now() + LEASE_MS)) return true
  const open = await unconfirmedErasures(deps.database, appId)
  if (open.waiting > 0) {
    const { sinceMs, giveUp } = await deletions.markWaiting(deps.database, appId, deps.clock.now())
    if (!giveUp && deps.clock.now() - sinceMs < MAX_DESTINATION_WAIT_MS) return false
  }
  await finishApp(deps, deletion, open.destinations)
  return true
}

/** Undefined when nobody asked for it, or long ago. */
export async function deletionProgress(
  { database }: Pick<AuthorizeDeps, 'database'>,
  appId: string,
): Promise<DeletionProgress | undefined> {
  const deletion = await deletions.findAppDeletion(database, appId)
  return deletion && present({ database }, deletion)
}

export async function listDeletions({ database }: Pick<AuthorizeDeps, 'database'>): Promise<DeletionProgress[]> {
  const shown: DeletionProgress[] = []
  for (const deletion of await deletions.listAppDeletions(database)) shown.push(await present({ database }, deletion))
  return shown
}

async function present(
  { database }: Pick<AuthorizeDeps, 'database'>,
  deletion: AppDeletion,
): Promise<DeletionProgress> {
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
    service_tokens: { revoked: deletion.revoked, not_supported: deletion.notSupported, failed: deletion.failed },
    ...(isWaiting ? { destinations_waiting: (await unconfirmedErasures(database, deletion.appId)).waiting } : {}),
    ...(deletion.unconfirmed > 0 ? { destinations_untold: deletion.unconfirmed } : {}),
    ...(deletion.error === undefined ? {} : { error: deletion.error }),
  }
}
