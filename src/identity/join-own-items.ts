import { OWN_SERVICE, ownEndpoint } from '#kit/connector/own-items.ts'
import type { Account } from '#model/accounts/account.ts'
import { globalId } from '#model/items/idr.ts'
import { lastOf } from '#platform/formats/list-ends.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { removeItems } from '#store/items/items.ts'
import { itemsUpdatedAt, type NamedItem, namedItemsAfter } from '#store/items/own-copies.ts'
import { listOwnProfiles, numberOwnChanges, type OwnProfile } from '#store/items/own-profile.ts'
import { markDeliveriesDue } from '#store/push/cursors.ts'

/** How many own items one statement compares. */
const PAGE_ROWS = 1000

/**
 * Where both accounts have an own item of the same endpoint and id, the one that was written last stays, with its global
 * id; the other is deleted with a tombstone. The cost grows with the smaller number of own items, not with all items.
 * Call it while both accounts are locked, before the profiles move.
 */
export async function joinOwnItems(tx: Queries, from: Account, to: Account, nowMs: number): Promise<void> {
  const moving = await listOwnProfiles(tx, from, OWN_SERVICE.service)
  const staying = await listOwnProfiles(tx, to, OWN_SERVICE.service)
  for (const source of moving) for (const dest of staying) await joinProfiles(tx, source, dest, nowMs)
}

async function joinProfiles(tx: Queries, source: OwnProfile, dest: OwnProfile, nowMs: number): Promise<void> {
  const [smaller, larger] = source.items < dest.items ? [source, dest] : [dest, source]
  for (let after: string | undefined; ; ) {
    const items = await namedItemsAfter(tx, smaller, after, PAGE_ROWS)
    const copyIds = items.map((item) => idIn(larger, item))
    const updatedAt = await itemsUpdatedAt(tx, larger, copyIds)
    const older = { smaller: [] as string[], larger: [] as string[] }
    for (const [i, copyId] of copyIds.entries()) {
      const item = items[i]!
      const otherAt = updatedAt.get(copyId)
      if (otherAt === undefined) continue
      // Of equal times, the destination's stays.
      const isOlder = item.updatedAt === otherAt ? smaller === source : item.updatedAt < otherAt
      if (isOlder) older.smaller.push(item.id)
      else older.larger.push(copyId)
    }
    await removeOlder(tx, smaller, older.smaller, nowMs)
    await removeOlder(tx, larger, older.larger, nowMs)
    if (items.length < PAGE_ROWS) return
    after = lastOf(items).id
  }
}

function idIn({ owner }: OwnProfile, { endpoint, nativeId: item }: NamedItem): string {
  return globalId({ type: ownEndpoint.kind.name, owner, service: OWN_SERVICE.service, endpoint, item }).slice(0, 32)
}

async function removeOlder(tx: Queries, profile: OwnProfile, ids: string[], nowMs: number): Promise<void> {
  if (ids.length === 0) return
  const { shard, profileId } = profile
  const seq = await numberOwnChanges(tx, profile, ids.length)
  await removeItems(tx, { shard, profileId }, ids, seq - ids.length + 1, nowMs)
  await markDeliveriesDue(tx, { shard, profileId }, nowMs)
}
