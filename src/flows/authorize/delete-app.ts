import { ApiError } from '#model/errors.ts'
import type { AppDeletion } from '#store/app-deletions.ts'
import * as deletions from '#store/app-deletions.ts'
import { untoldErasures } from '#store/app-remains.ts'
import { auditApp } from '#store/audit.ts'
import { eraseSome, finishApp } from './erase-app.ts'
import type { AuthorizeNeed } from './need.ts'

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
  need: AuthorizeNeed,
  appId: string,
  actor: string,
  { erase, giveUp = false }: { erase: boolean; giveUp?: boolean },
): Promise<DeletionProgress> {
  const now = need.clock.now()
  await need.database.transaction(async (tx) => {
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
  return (await deletionProgress(need, appId))!
}

/** Some of the work of one deletion; true when something was done. Everything of it may be repeated, and by two at once. */
export async function continueDeletion(need: AuthorizeNeed, appId: string): Promise<boolean> {
  const now = need.clock.now()
  const deletion = await deletions.leaseAppDeletion(need.database, appId, now, now + LEASE_MS)
  if (deletion === undefined) return false
  try {
    const moved = await step(need, deletion)
    await deletions.releaseAppDeletion(need.database, appId)
    return moved
  } catch (error) {
    need.log.error('deleting an app met an error and goes on', { app: appId, error })
    await deletions
      .releaseAppDeletion(need.database, appId, 'It met an error and goes on; the log has it.')
      .catch((failure: unknown) => {
        // Its lease ends by itself, and the next worker goes on.
        need.log.warn('the lease on a deletion could not be given back', { app: appId, error: failure })
      })
    return false
  }
}

/** For the worker's loop: what was begun in any process, before any restart. Gives how many moved. */
export async function continueDeletions(need: AuthorizeNeed): Promise<number> {
  let moved = 0
  for (const appId of await deletions.openAppDeletions(need.database, need.clock.now()))
    if (await continueDeletion(need, appId)) moved += 1
  return moved
}

async function step(need: AuthorizeNeed, deletion: AppDeletion): Promise<boolean> {
  const { appId } = deletion
  if (await eraseSome(need, deletion, () => need.clock.now() + LEASE_MS)) return true
  const open = await untoldErasures(need.database, appId)
  if (open.waiting > 0) {
    const { sinceMs, giveUp } = await deletions.markWaiting(need.database, appId, need.clock.now())
    if (!giveUp && need.clock.now() - sinceMs < MAX_DESTINATION_WAIT_MS) return false
  }
  await finishApp(need, deletion, open.destinations)
  return true
}

/** Undefined when nobody asked for it, or long ago. */
export async function deletionProgress(
  { database }: Pick<AuthorizeNeed, 'database'>,
  appId: string,
): Promise<DeletionProgress | undefined> {
  const deletion = await deletions.findAppDeletion(database, appId)
  return deletion && present({ database }, deletion)
}

export async function listDeletions({ database }: Pick<AuthorizeNeed, 'database'>): Promise<DeletionProgress[]> {
  const shown: DeletionProgress[] = []
  for (const deletion of await deletions.listAppDeletions(database)) shown.push(await present({ database }, deletion))
  return shown
}

async function present(
  { database }: Pick<AuthorizeNeed, 'database'>,
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
    ...(isWaiting ? { destinations_waiting: (await untoldErasures(database, deletion.appId)).waiting } : {}),
    ...(deletion.untold > 0 ? { destinations_untold: deletion.untold } : {}),
    ...(deletion.error === undefined ? {} : { error: deletion.error }),
  }
}
