import { SealError } from '#base/sealing.ts'
import { createSemaphore } from '#base/semaphore.ts'
import type { Credential } from '#kit/auth.ts'
import type { Profile } from '#model/profile.ts'
import { deleteAccount, findAccount, lockAccount } from '#store/accounts.ts'
import { type AppDeletion, type Counted, countErased, finishAppDeletion } from '#store/app-deletions.ts'
import {
  type AppAccount,
  deleteDeliveryHistory,
  deleteItemsInBatches,
  deleteRemains,
  deleteTokens,
  nextAccountsOf,
} from '#store/app-remains.ts'
import { deleteApp } from '#store/apps.ts'
import { auditApp } from '#store/audit.ts'
import { deleteConsent, unusedConsentsOf } from '#store/consents.ts'
import { dropDeliveryRecords } from '#store/deliveries.ts'
import { removeCursors } from '#store/delivery-cursors.ts'
import { listDestinations } from '#store/destinations.ts'
import { listAllProfiles } from '#store/profiles.ts'
import { credentialOf, eraseAccount, revoke } from './disconnect.ts'
import { revokeUnused } from './lapse.ts'
import type { AuthorizeNeed } from './need.ts'

/** Accounts that are erased at once: mostly they wait for services. */
const AT_ONCE = 4
/** Limit: refusals of one service in a row while an app is deleted; then its other tokens count as not revoked, and nobody waits for it. */
const MAX_FAILED_REVOCATIONS = 20

type LeaseEnd = () => number

/** The next few accounts, then what is left of unfinished sign-ins; false when nothing of either is left. */
export async function eraseSome(need: AuthorizeNeed, deletion: AppDeletion, leaseEnd: LeaseEnd): Promise<boolean> {
  const services = new Map<string, number>()
  const accounts = await nextAccountsOf(need.database, deletion.appId, AT_ONCE * 8)
  const semaphore = createSemaphore(AT_ONCE)
  await Promise.all(
    accounts.map((account) => semaphore.run(() => eraseOne(need, deletion, account, services, leaseEnd))),
  )
  if (accounts.length > 0) return true
  return dropUnusedSignIns(need, deletion.appId)
}

/**
 * The services are told first: afterwards nobody has the tokens any more. Stopped in between, the next one tells them again,
 * which does no harm.
 */
async function eraseOne(
  need: AuthorizeNeed,
  { appId, actor }: AppDeletion,
  { part, id, isMerged }: AppAccount,
  services: Map<string, number>,
  leaseEnd: LeaseEnd,
): Promise<void> {
  const counted: Counted = { erased: 1, revoked: 0, notSupported: 0, failed: 0 }
  const account = isMerged ? undefined : await findAccount(need.database, part, id)
  if (account !== undefined) {
    for (const profile of await listAllProfiles(need.database, account)) {
      const key = { part: profile.part, profileId: profile.id }
      const credential = await credentialOf(need, need.database, key)
      if (credential !== undefined) await tellService(need, profile, credential, services, counted)
      await deleteItemsInBatches(need.database, key)
    }
  }
  await need.database.transaction(async (tx) => {
    const locked = await lockAccount(tx, part, id)
    if (locked !== undefined) await eraseAccount(need, tx, locked, actor)
    await deleteTokens(tx, { part, id })
    // One that was merged is only a signpost.
    if (locked === undefined) await deleteAccount(tx, { part, id })
    await countErased(tx, appId, counted, leaseEnd())
  })
}

async function tellService(
  need: AuthorizeNeed,
  profile: Parameters<typeof revoke>[1],
  credential: NonNullable<Parameters<typeof revoke>[2]>,
  services: Map<string, number>,
  counted: Counted,
): Promise<void> {
  const failures = services.get(profile.service) ?? 0
  const outcome = failures >= MAX_FAILED_REVOCATIONS ? 'failed' : await revokeSafely(need, profile, credential)
  services.set(profile.service, outcome === 'failed' ? failures + 1 : 0)
  if (outcome === 'revoked') counted.revoked += 1
  else if (outcome === 'not_supported') counted.notSupported += 1
  else counted.failed += 1
}

/** Keys that cannot be opened must not keep an app from being deleted. */
async function revokeSafely(
  need: AuthorizeNeed,
  profile: Profile,
  credential: Credential | undefined,
): ReturnType<typeof revoke> {
  try {
    return await revoke(need, profile, credential)
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    const told = { service: profile.service, error }
    need.log.warn('a service key cannot be opened; a token is erased without being revoked', told)
    return 'failed'
  }
}

/** Sign-ins that nobody finished hold tokens too. */
async function dropUnusedSignIns(need: AuthorizeNeed, appId: string): Promise<boolean> {
  const unused = await unusedConsentsOf(need.database, need.keyring, appId)
  for (const consent of unused) {
    await revokeUnused(need, consent).catch((error: unknown) => {
      if (!(error instanceof SealError)) throw error
      need.log.warn('an unused sign-in cannot be opened; it is erased without being revoked', { app: appId, error })
    })
    await deleteConsent(need.database, consent)
  }
  return unused.length > 0
}

/** A sign-in came in while the app was going: nothing was deleted, and its token has to be revoked first. */
class SignInMeanwhile extends Error {}

/** The rest: destinations, logs, keys, secrets and the app itself. */
export async function finishApp(need: AuthorizeNeed, deletion: AppDeletion, untold: number): Promise<void> {
  const { database, clock } = need
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
    if ((await unusedConsentsOf(tx, need.keyring, appId)).length > 0) throw new SignInMeanwhile()
    await finishAppDeletion(tx, appId, clock.now(), untold)
    const detail = { erased, revoked, not_supported: notSupported, failed, destinations_untold: untold }
    await auditApp(tx, appId, { at: clock.now(), actor, action: 'app.delete', detail })
  })
  await finish.catch((error: unknown) => {
    if (!(error instanceof SignInMeanwhile)) throw error
  })
}
