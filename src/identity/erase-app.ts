import { endAppSubscriptions, endSubscriptionsNow } from '#access/end-subscriptions.ts'
import { createSemaphore } from '#platform/waiting/semaphore.ts'
import {
  type AppAccount,
  deleteDeliveryHistory,
  deleteItemsInBatches,
  deleteRemains,
  deleteTokens,
  nextAccountsOf,
} from '#store/app-remains.ts'
import { deleteApp } from '#store/apps/apps.ts'
import {
  type AppDeletion,
  type Counted,
  countErased,
  finishAppDeletion,
  recordUnconfirmed,
} from '#store/apps/deletions.ts'
import { auditApp } from '#store/audit.ts'
import { deleteAccount, findAccount, lockAccount } from '#store/identity/accounts.ts'
import { deleteConsent, unusedConsentsOf } from '#store/identity/consents.ts'
import { listAllProfiles } from '#store/identity/profiles.ts'
import { lockAppExclusively } from '#store/keys/app-locks.ts'
import { dropRecordedItems } from '#store/push/delivered-items.ts'
import { dropDeliveryRecords } from '#store/push/deliveries.ts'
import { removeCursors } from '#store/push/destination-cursors.ts'
import { listDestinations } from '#store/push/destinations.ts'
import { findFeed } from '#store/push/feed.ts'
import type { IdentityDeps } from './deps.ts'
import { credentialOf, eraseAccount } from './disconnect.ts'
import { unusedTokenOf } from './expire-consents.ts'
import { revokeAs, type UnneededToken } from './revoke-token.ts'

/** Accounts that are erased concurrently: erasing mostly waits for services. */
const CONCURRENT_ACCOUNTS = 4
/** Limit: failed revocations in a row at one service while an app is deleted; then its other tokens count as not revoked, without a call. */
const MAX_FAILED_REVOCATIONS = 20

type LeaseEnd = () => number

/** Erases a batch of accounts, then unfinished sign-ins; false if neither is left. */
export async function eraseNextAccounts(
  deps: IdentityDeps,
  deletion: AppDeletion,
  leaseEnd: LeaseEnd,
): Promise<boolean> {
  const failuresByService = new Map<string, number>()
  const accounts = await nextAccountsOf(deps.database, deletion.appId, CONCURRENT_ACCOUNTS * 8)
  const semaphore = createSemaphore(CONCURRENT_ACCOUNTS)
  await Promise.all(
    accounts.map((account) =>
      semaphore.run(() => eraseOneAccount(deps, deletion, account, failuresByService, leaseEnd)),
    ),
  )
  if (accounts.length > 0) return true
  return dropUnusedSignIns(deps, deletion.appId)
}

/**
 * Revokes the credentials first, because afterwards they are deleted. After a crash in between they are revoked again,
 * which is harmless.
 */
async function eraseOneAccount(
  deps: IdentityDeps,
  { appId, actor }: AppDeletion,
  { shard, id, isMerged }: AppAccount,
  failuresByService: Map<string, number>,
  leaseEnd: LeaseEnd,
): Promise<void> {
  const counted: Counted = { erased: 1, revoked: 0, refused: 0, unreachable: 0, notOffered: 0 }
  const account = isMerged ? undefined : await findAccount(deps.database, shard, id)
  if (account !== undefined) {
    for (const profile of await listAllProfiles(deps.database, account)) {
      const key = { shard: profile.shard, profileId: profile.id }
      const credential = await credentialOf(deps, deps.database, key)
      const renewed = await endSubscriptionsNow(deps, profile, credential)
      const used = renewed ?? credential
      if (used !== undefined) await revokeAtService(deps, { ...profile, credential: used }, failuresByService, counted)
      await deleteItemsInBatches(deps.database, key)
    }
  }
  await deps.database.transaction(async (tx) => {
    const locked = await lockAccount(tx, shard, id)
    if (locked !== undefined) await eraseAccount(deps, tx, locked, actor)
    await deleteTokens(tx, { shard, id })
    // A merged account only refers to its successor.
    if (locked === undefined) await deleteAccount(tx, { shard, id })
    await countErased(tx, appId, counted, leaseEnd())
  })
}

/** Everything of the app ends, so that it does not matter who else has the service user. */
async function revokeAtService(
  deps: IdentityDeps,
  token: UnneededToken,
  failuresByService: Map<string, number>,
  counted: Counted,
): Promise<void> {
  const failures = failuresByService.get(token.service) ?? 0
  const result = failures >= MAX_FAILED_REVOCATIONS ? 'unreachable' : await revokeAs(deps, token, 'grant')
  failuresByService.set(token.service, result === 'unreachable' ? failures + 1 : 0)
  if (result === 'not_offered') counted.notOffered += 1
  else if (result === 'refused' || result === 'unreachable') counted[result] += 1
  else counted.revoked += 1
}

/** Unfinished sign-ins have credentials too. */
async function dropUnusedSignIns(deps: IdentityDeps, appId: string): Promise<boolean> {
  const unused = await unusedConsentsOf(deps.database, deps.keyring, appId)
  for (const consent of unused) {
    const token = unusedTokenOf(consent)
    if (token !== undefined) await revokeAs(deps, token, 'grant')
    await deleteConsent(deps.database, consent)
  }
  return unused.length > 0
}

/**
 * A sign-in was stored during the deletion: the transaction is rolled back, and the credential must be revoked first.
 */
class SignInDuringDeletion extends Error {}

/**
 * Deletes the rest: destinations, logs, keys, secrets and the app itself. What is in every shard goes first, in statements
 * of their own that can be repeated; the app goes last, in one transaction that changes one shard.
 */
export async function finishDeletion(deps: IdentityDeps, deletion: AppDeletion, unconfirmed: number): Promise<void> {
  const { database, clock } = deps
  const { appId, actor, erased, revoked, refused, unreachable, notOffered } = deletion
  await endAppSubscriptions(deps, appId)
  await deleteRemains(database, appId)
  const untold = await recordUnconfirmed(database, appId, unconfirmed)
  const feedId = await findFeed(database, appId)
  if (feedId !== undefined) await removeCursors(database, feedId)
  for (const { id } of await listDestinations(database, appId)) {
    await deleteDeliveryHistory(database, id)
    await removeCursors(database, id)
    await dropDeliveryRecords(database, id)
    await dropRecordedItems(database, id)
  }
  const finish = database.transaction(async (tx) => {
    await lockAppExclusively(tx, appId)
    // Cascades to its secrets, keys, destinations and their events.
    await deleteApp(tx, appId)
    await finishAppDeletion(tx, appId, clock.now())
    const tokens = { revoked, refused, unreachable, not_offered: notOffered }
    const detail = { erased, ...tokens, destinations_untold: untold }
    await auditApp(tx, appId, { at: clock.now(), actor, action: 'app.delete', detail })
    // A sign-in may have been stored meanwhile; the lock on the app prevents further ones.
    if ((await unusedConsentsOf(tx, deps.keyring, appId)).length > 0) throw new SignInDuringDeletion()
  })
  await finish.catch((error: unknown) => {
    if (!(error instanceof SignInDuringDeletion)) throw error
  })
}
