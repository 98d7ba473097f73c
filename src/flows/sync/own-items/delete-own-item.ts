import { OWN_SERVICE } from '#kit/connector/own-items.ts'
import type { Account } from '#model/accounts/account.ts'
import { ApiError } from '#model/errors.ts'
import { removeItems } from '#store/items/items.ts'
import { listOwnProfiles, numberOwnChanges } from '#store/items/own-profile.ts'
import { markDeliveriesDue } from '#store/push/cursors.ts'
import type { SyncDeps } from '../deps.ts'
import { lockOwner, openOwnStreams } from './own-profiles.ts'

/** Deletes an own item wherever merges have put it, with a tombstone for readers of changes and for destinations. */
export async function deleteOwnItem(
  { database, clock }: Pick<SyncDeps, 'database' | 'clock'>,
  account: Account,
  endpoint: string,
  id: string,
): Promise<void> {
  await database.transaction(async (tx) => {
    const now = clock.now()
    const profiles = await listOwnProfiles(tx, await lockOwner(tx, account), OWN_SERVICE.service)
    let deleted = 0
    for (const { profileKey, updatedAt } of await openOwnStreams(tx, profiles, endpoint, [{ id }])) {
      const ids = [...updatedAt.keys()]
      if (ids.length === 0) continue
      const seq = await numberOwnChanges(tx, profileKey, ids.length)
      deleted += await removeItems(tx, profileKey, ids, seq - ids.length + 1, now)
      await markDeliveriesDue(tx, profileKey, now)
    }
    if (deleted === 0) throw new ApiError('not_found')
  })
}
