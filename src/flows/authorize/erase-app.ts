import type { Credential } from '#kit/auth.ts'
import type { Profile } from '#model/profile.ts'
import { SealError } from '#platform/sealing.ts'
import { createSemaphore } from '#platform/semaphore.ts'
import { deleteApp } from '#store/apps/apps.ts'
import { type AppDeletion, type Counted, countErased, finishAppDeletion } from '#store/apps/deletions.ts'
import {
  type AppAccount,
  deleteDeliveryHistory,
  deleteItemsInBatches,
  deleteRemains,
  deleteTokens,
  nextAccountsOf,
} from '#store/apps/remains.ts'
import { auditApp } from '#store/audit.ts'
import { deleteAccount, findAccount, lockAccount } from '#store/identity/accounts.ts'
import { deleteConsent, unusedConsentsOf } from '#store/identity/consents.ts'
import { listAllProfiles } from '#store/identity/profiles.ts'
import { removeCursors } from '#store/push/cursors.ts'
import { dropDeliveryRecords } from '#store/push/deliveries.ts'
import { listDestinations } from '#store/push/destinations.ts'
import type { AuthorizeDeps } from './deps.ts'
import { credentialOf, eraseAccount, revoke } from './disconnect.ts'
import { revokeUnused } from './expire-sign-ins.ts'

/** Accounts that are erased at once: mostly they wait for services. */
const AT_ONCE = 4
/** Limit: refusals of one service in a row while an app is deleted; then its other tokens count as not revoked, and nobody waits for it. */
const MAX_FAILED_REVOCATIONS = 20

type LeaseEnd = () => number

/** The next few accounts, then what is left of unfinished sign-ins; false when nothing of either is left. */
export async function eraseSome(deps: AuthorizeDeps, deletion: AppDeletion, leaseEnd: LeaseEnd): Promise<boolean> {
  const services = new Map<string, number>()
  const accounts = await nextAccountsOf(deps.database, deletion.appId, AT_ONCE * 8)
  const semaphore = createSemaphore(AT_ONCE)
  await Promise.all(
    accounts.map((account) => semaphore.run(() => eraseOne(deps, deletion, account, services, leaseEnd))),
  )
  if (accounts.length > 0) return true
  return dropUnusedSignIns(deps, deletion.appId)
}

/**
 * The services are told first: afterwards nobody has the tokens any more. Stopped in between, the next one tells them again,
 * which does no harm.
 */
async function eraseOne(
  deps: AuthorizeDeps,
  { appId, actor }: AppDeletion,
  { shard, id, isMerged }: AppAccount,
  services: Map<string, number>,
  leaseEnd: LeaseEnd,
): Promise<void> {
  const counted: Counted = { erased: 1, revoked: 0, notSupported: 0, failed: 0 }
  const account = isMerged ? undefined : await findAccount(deps.database, shard, id)
  if (account !== undefined) {
    for (const profile of await listAllProfiles(deps.database, account)) {
      const key = { shard: profile.shard, profileId: profile.id }
      const credential = await credentialOf(deps, deps.database, key)
      if (credential !== undefined) await revokeAtService(deps, profile, credential, services, counted)
      await deleteItemsInBatches(deps.database, key)
    }
  }
  await deps.database.transaction(async (tx) => {
    const locked = await lockAccount(tx, shard, id)
    if (locked !== undefined) await eraseAccount(deps, tx, locked, actor)
    await deleteTokens(tx, { shard, id })
    // One that was merged is only a signpost.
    if (locked === undefined) await deleteAccount(tx, { shard, id })
    await countErased(tx, appId, counted, leaseEnd())
  })
}

async function revokeAtService(
  deps: AuthorizeDeps,
  profile: Parameters<typeof revoke>[1],
  credential: NonNullable<Parameters<typeof revoke>[2]>,
  services: Map<string, number>,
  counted: Counted,
): Promise<void> {
  const failures = services.get(profile.service) ?? 0
  const outcome = failures >= MAX_FAILED_REVOCATIONS ? 'failed' : await revokeSafely(deps, profile, credential)
  services.set(profile.service, outcome === 'failed' ? failures + 1 : 0)
  if (outcome === 'revoked') counted.revoked += 1
  else if (outcome === 'not_supported') counted.notSupported += 1
  else counted.failed += 1
}

/** Keys that cannot be opened must not keep an app from being deleted. */
async function revokeSafely(
  deps: AuthorizeDeps,
  profile: Profile,
  credential: Credential | undefined,
): ReturnType<typeof revoke> {
  try {
    return await revoke(deps, profile, credential)
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    const told = { service: profile.service, error }
    deps.log.warn('a service key cannot be opened; a token is erased without being revoked', told)
    return 'failed'
  }
}

/** Sign-ins that nobody finished hold tokens too. */
async function dropUnusedSignIns(deps: AuthorizeDeps, appId: string): Promise<boolean> {
  const unused = await unusedConsentsOf(deps.database, deps.keyring, appId)
  for (const consent of unused) {
    await revokeUnused(deps, consent).catch((error: unknown) => {
      if (!(error instanceof SealError)) throw error
      deps.log.warn('an unused sign-in cannot be opened; it is erased without being revoked', { app: appId, error })
    })
    await deleteConsent(deps.database, consent)
  }
  return unused.length > 0
}

/** A sign-in came in while the app was going: nothing was deleted, and its token has to be revoked first. */
class SignInMeanwhile extends Error {}

/** The rest: destinations, logs, keys, secrets and the app itself. */
export async function finishApp(deps: AuthorizeDeps, deletion: AppDeletion, unconfirmed: number): Promise<void> {
  const { database, clock } = deps
  const { appId, actor, erased, revoked, notSupported, failed } = deletion
  await deleteRemains(database, appId)
  const destinations = await listDestinations(database, appId)
  for (const { id } of destinations) await deleteDeliveryHistory(database, id)
  const finish = database.transaction(async (tx) => {
    for (const { id } of destinations) {
      await removeCursors(tx, id)
      await dropDeliveryRecords(tx, id)
    }
    // Its secrets, keys, destinations and their events go with it.
    await deleteApp(tx, appId)
    // Somebody came back from a service meanwhile; with the app's row in hand nobody else can.
    if ((await unusedConsentsOf(tx, deps.keyring, appId)).length > 0) throw new SignInMeanwhile()
    await finishAppDeletion(tx, appId, clock.now(), unconfirmed)
    const detail = { erased, revoked, not_supported: notSupported, failed, destinations_untold: unconfirmed }
    await auditApp(tx, appId, { at: clock.now(), actor, action: 'app.delete', detail })
  })
  await finish.catch((error: unknown) => {
    if (!(error instanceof SignInMeanwhile)) throw error
  })
}
