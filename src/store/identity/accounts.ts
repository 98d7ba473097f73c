import type { Account } from '#model/account.ts'
import { ApiError } from '#model/errors.ts'
import { shardOf } from '#platform/ids.ts'
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
  `insert into account (${columns}) values ($1, $2, $3, $4, $5) on conflict do nothing`,
)
const lock = statement(
  'account-lock',
  `select ${columns} from account where shard = $1 and id = $2 and merged_into is null for update`,
)
const find = statement(
  'account-find',
  `select ${columns} from account where shard = $1 and id = $2 and merged_into is null`,
)
const setShards = statement('account-parts', 'update account set shards = $3 where shard = $1 and id = $2')
const setMerged = statement(
  'account-merged',
  `update account set merged_into = $3, shards = '{}' where shard = $1 and id = $2`,
)
const remove = statement('account-delete', 'delete from account where shard = $1 and id = $2')

export async function insertAccount(tx: Queries, account: Account): Promise<void> {
  await tx.count(insert, [account.shard, account.id, account.appId, account.shards, account.createdAt])
}

/** The account, held until the transaction ends: everything that adds or removes profiles takes this first. */
export async function lockAccount(tx: Queries, shard: number, id: string): Promise<Account | undefined> {
  const [row] = await tx.rows<Row>(lock, [shard, id])
  return row && toAccount(row)
}

export async function findAccount(queries: Queries, shard: number, id: string): Promise<Account | undefined> {
  const [row] = await queries.rows<Row>(find, [shard, id])
  return row && toAccount(row)
}

/** An account that is there and not merged away, by its id alone. */
export async function findAccountById(queries: Queries, id: string): Promise<Account | undefined> {
  const shard = shardOf(id)
  return shard === undefined ? undefined : findAccount(queries, shard, id)
}

/** For operators: any account, by its id. */
export async function requireAccountById(queries: Queries, id: string): Promise<Account> {
  const account = await findAccountById(queries, id)
  if (account === undefined) throw new ApiError('not_found', `There is no account ${id}.`)
  return account
}

export async function setAccountShards(tx: Queries, account: Account, shards: number[]): Promise<void> {
  await tx.count(setShards, [account.shard, account.id, shards])
}

/** Kept as a signpost, without profiles: its tokens stop working with it. */
export async function markMerged(tx: Queries, account: Account, into: string): Promise<void> {
  await tx.count(setMerged, [account.shard, account.id, into])
}

export async function deleteAccount(tx: Queries, account: Pick<Account, 'shard' | 'id'>): Promise<void> {
  await tx.count(remove, [account.shard, account.id])
}

function toAccount(row: Row): Account {
  return { shard: row.shard, id: row.id, appId: row.app_id, shards: row.shards, createdAt: row.created_at }
}
