import { storeOwnItems } from '#flows/sync/own-items/store-own-items.ts'
import type { LoggedDeps } from '#identity/deps.ts'
import { deleteWholeAccount } from '#identity/disconnect.ts'
import { mergeAccounts } from '#identity/merge.ts'
import type { Account } from '#model/accounts/account.ts'
import { ApiError } from '#model/errors.ts'
import { removeItems } from '#store/items/items.ts'
import { listOwnProfiles, numberOwnChanges } from '#store/items/own-profile.ts'
import { markDeliveriesDue } from '#store/push/cursors.ts'
import { newPerson } from '../harness/person.ts'
import type { Random } from './push-random.ts'

/** People whose items change continuously. */
export interface Source {
  people: Account[]
  counts: { put: number; removed: number; erased: number; merged: number }
  /** One change: items are put, changed or removed; rarely an account is deleted or merged. */
  change(): Promise<void>
  /** One change of each kind, so that delivery passes every crash point. */
  changeAll(): Promise<void>
}

const MAX_ITEMS = 40
/** More rows than a batch. */
const CROWD = 1300
let shards = 0

export async function createSource(deps: LoggedDeps, random: Random, apps: string[], size: number): Promise<Source> {
  const source: Source = { people: [], counts: { put: 0, removed: 0, erased: 0, merged: 0 }, change, changeAll }
  const tokens = new Map<string, string>()
  let version = 0
  const join = async (appId: string): Promise<Account> => {
    const { account, token } = await newPerson(deps, appId, (shards += 1) % 1024)
    tokens.set(account.id, token)
    source.people.push(account)
    return account
  }
  const put = async (account: Account) => {
    const items = Array.from({ length: 1 + random.below(6) }, () => ({
      id: `n${random.below(MAX_ITEMS)}`,
      v: (version += 1),
      text: 'x'.repeat(random.below(300)),
    }))
    await storeOwnItems(deps, account, 'things', [...new Map(items.map((item) => [item.id, item])).values()])
    source.counts.put += items.length
  }
  const putCrowd = async (account: Account) => {
    const items = Array.from({ length: CROWD }, (_, i) => ({ id: `c${i}`, v: (version += 1) }))
    await storeOwnItems(deps, account, 'things', items)
    source.counts.put += items.length
  }
  const remove = async (account: Account) => {
    const [profile] = await listOwnProfiles(deps.database, account, 'self')
    if (profile === undefined) return
    const key = { shard: profile.shard, profileId: profile.profileId }
    const found = await deps.database.rows<{ id: string }>(
      { name: '', text: 'select id from item where shard = $1 and profile_id = $2 order by random() limit 2' },
      [key.shard, key.profileId],
    )
    await deps.database.transaction(async (tx) => {
      const seq = await numberOwnChanges(tx, key, found.length)
      const ids = found.map(({ id }) => id.replaceAll('-', ''))
      await removeItems(tx, key, ids, seq - found.length + 1, Date.now())
      await markDeliveriesDue(tx, key, Date.now())
    })
    source.counts.removed += found.length
  }
  const erase = async (account: Account) => {
    source.people.splice(source.people.indexOf(account), 1)
    await deleteWholeAccount(deps, account)
    source.counts.erased += 1
    await put(await join(account.appId))
  }
  const merge = async (account: Account) => {
    source.people.splice(source.people.indexOf(account), 1)
    const other = random.pick(source.people)
    const joined = await mergeAccounts(deps, tokens.get(account.id)!, tokens.get(other.id)!)
    source.people[source.people.indexOf(other)] = joined
    source.counts.merged += 1
    await put(await join(account.appId))
  }
  async function change(): Promise<void> {
    try {
      await changeOne(random.pick(source.people))
    } catch (error) {
      // The other writer has deleted that account.
      if (!(error instanceof ApiError)) throw error
    }
  }
  async function changeOne(account: Account): Promise<void> {
    const fate = random.below(2000)
    if (fate < 5) await erase(account)
    else if (fate < 10) await merge(account)
    else if (fate < 16) await putCrowd(account)
    else if (fate < 400) await remove(account)
    else await put(account)
  }
  async function changeAll(): Promise<void> {
    for (const each of [erase, merge, putCrowd, remove, put]) await each(random.pick(source.people))
  }
  for (let i = 0; i < size; i += 1) await put(await join(apps[i % apps.length]!))
  return source
}
