import type { Account } from '#model/accounts/account.ts'
import { ApiError } from '#model/errors.ts'
import { shardOf } from '#platform/crypto/ids.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

interface Row {
  shard: number
  id: string
  app_id: string
  shards: number[]
  created_at: number
}

const columns = 'shard, id, app_id, shards, created_at'
const insert = statement(
  'account-insert',
  `insert into account (${columns}) values ($shard, $id, $appId, $shards, $createdAt) on conflict do nothing`,
)
const lock = statement(
  'account-lock',
  `select ${columns} from account where shard = $shard and id = $id and merged_into is null for update`,
)
const find = statement(
  'account-find',
  `select ${columns} from account where shard = $shard and id = $id and merged_into is null`,
)
const setShards = statement('account-shards', 'update account set shards = $shards where shard = $shard and id = $id')
const setMerged = statement(
  'account-merged',
  `update account set merged_into = $mergedInto, shards = '{}' where shard = $shard and id = $id`,
)
const findMergedInto = statement(
  'account-merged-into',
  'select merged_into from account where shard = $shard and id = $id and merged_into is not null',
)
const remove = statement('account-delete', 'delete from account where shard = $shard and id = $id')

export async function insertAccount(tx: Queries, account: Account): Promise<void> {
  const { shard, id, appId, shards, createdAt } = account
  await tx.count(insert.with({ shard, id, appId, shards, createdAt }))
}

/** Locks the account until the transaction ends. Everything that adds or removes profiles takes this lock first. */
export async function lockAccount(tx: Queries, shard: number, id: string): Promise<Account | undefined> {
  const [row] = await tx.rows<Row>(lock.with({ shard, id }))
  return row && toAccount(row)
}

export async function findAccount(queries: Queries, shard: number, id: string): Promise<Account | undefined> {
  const [row] = await queries.rows<Row>(find.with({ shard, id }))
  return row && toAccount(row)
}

/** By id alone; undefined for an account that was merged into another. */
export async function findAccountById(queries: Queries, id: string): Promise<Account | undefined> {
  const shard = shardOf(id)
  return shard === undefined ? undefined : findAccount(queries, shard, id)
}

/** For operators. Throws when there is no such account. */
export async function requireAccountById(queries: Queries, id: string): Promise<Account> {
  const account = await findAccountById(queries, id)
  if (account === undefined) throw new ApiError('not_found', `There is no account ${id}.`)
  return account
}

export async function setAccountShards(tx: Queries, account: Account, shards: number[]): Promise<void> {
  await tx.count(setShards.with({ shard: account.shard, id: account.id, shards }))
}

/** Keeps the row without profiles, to say where the account went. Its tokens stop working. */
export async function markMerged(tx: Queries, account: Account, mergedInto: string): Promise<void> {
  await tx.count(setMerged.with({ shard: account.shard, id: account.id, mergedInto }))
}

/** Limit: merges that are followed from one account to the one that has its profiles now; beyond, it counts as another person's. */
const MAX_MERGES = 100

/** Whether an account was merged into another, directly or through further ones. */
export async function wasMergedInto(queries: Queries, id: string, into: string): Promise<boolean> {
  let next: string | undefined = id
  for (let merges = 0; merges < MAX_MERGES && next !== undefined; merges += 1) {
    const shard = shardOf(next)
    if (shard === undefined) return false
    const [row]: { merged_into: string }[] = await queries.rows<{ merged_into: string }>(
      findMergedInto.with({ shard, id: next }),
    )
    next = row?.merged_into
    if (next === into) return true
  }
  return false
}

export async function deleteAccount(tx: Queries, account: Pick<Account, 'shard' | 'id'>): Promise<void> {
  await tx.count(remove.with({ shard: account.shard, id: account.id }))
}

function toAccount(row: Row): Account {
  return { shard: row.shard, id: row.id, appId: row.app_id, shards: row.shards, createdAt: row.created_at }
}
