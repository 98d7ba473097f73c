import { removeItems } from '#store/items/items.ts'
import { listOwnProfiles, numberOwnChanges } from '#store/items/own-profile.ts'
import { markDeliveriesDue } from '#store/push/cursors.ts'
import type { Person } from './person.ts'
import { send } from './send.ts'
import type { Tributary } from './start.ts'

/** The number of own items that one call accepts. */
const MAX_ITEMS = 1000

/** An own item as an app sends it. */
export interface OwnItem {
  id: string | number
  at?: number
  type?: string
  [field: string]: unknown
}

/** Stores own items through the API, as an app does. */
export async function putItems(tributary: Tributary, { token }: Person, items: OwnItem[], endpoint: string) {
  for (let at = 0; at < items.length; at += MAX_ITEMS) {
    const json = items.slice(at, at + MAX_ITEMS)
    const { status, text } = await send({ tributary }, 'POST', `/services/self/${endpoint}`, { token, json })
    if (status !== 200) throw new Error(`The items were refused: ${text}`)
  }
}

/** Removes items from the store, like a sync that no longer finds them. */
export async function takeItems({ store, sql }: Tributary, { account }: Person, nativeIds: string[]): Promise<void> {
  const [profile] = await listOwnProfiles(store.database, account, 'self')
  const key = { shard: profile!.shard, profileId: profile!.profileId }
  const rows = await sql<{ id: string }>(
    'select id from item where shard = $1 and profile_id = $2 and native_id = any($3)',
    [key.shard, key.profileId, nativeIds],
  )
  const ids = rows.map(({ id }) => id)
  await store.database.transaction(async (tx) => {
    const seq = await numberOwnChanges(tx, key, ids.length)
    await removeItems(tx, key, ids, seq - ids.length + 1, store.clock.now())
    await markDeliveriesDue(tx, key, store.clock.now())
  })
}
