import { partOf } from '#base/ids.ts'
import type { Account } from '#model/account.ts'
import { ApiError } from '#model/errors.ts'
import { type Queries, statement } from './database.ts'

interface Row {
  part: number
  id: string
  app_id: string
  parts: number[]
  created_at: number
}

const columns = 'part, id, app_id, parts, created_at'
const insert = statement(
  'account-insert',
  `insert into account (${columns}) values ($1, $2, $3, $4, $5) on conflict do nothing`,
)
const lock = statement(
  'account-lock',
  `select ${columns} from account where part = $1 and id = $2 and merged_into is null for update`,
)
const find = statement(
  'account-find',
  `select ${columns} from account where part = $1 and id = $2 and merged_into is null`,
)
const setParts = statement('account-parts', 'update account set parts = $3 where part = $1 and id = $2')
const setMerged = statement(
  'account-merged',
  `update account set merged_into = $3, parts = '{}' where part = $1 and id = $2`,
)
const remove = statement('account-delete', 'delete from account where part = $1 and id = $2')

export async function insertAccount(tx: Queries, account: Account): Promise<void> {
  await tx.count(insert, [account.part, account.id, account.appId, account.parts, account.createdAt])
}

/** The account, held until the transaction ends: everything that adds or removes profiles takes this first. */
export async function lockAccount(tx: Queries, part: number, id: string): Promise<Account | undefined> {
  const [row] = await tx.rows<Row>(lock, [part, id])
  return row && toAccount(row)
}

export async function findAccount(queries: Queries, part: number, id: string): Promise<Account | undefined> {
  const [row] = await queries.rows<Row>(find, [part, id])
  return row && toAccount(row)
}

/** An account that is there and not merged away, by its id alone. */
export async function findAccountById(queries: Queries, id: string): Promise<Account | undefined> {
  const part = partOf(id)
  return part === undefined ? undefined : findAccount(queries, part, id)
}

/** For operators: any account, by its id. */
export async function requireAccountById(queries: Queries, id: string): Promise<Account> {
  const account = await findAccountById(queries, id)
  if (account === undefined) throw new ApiError('not_found', `There is no account ${id}.`)
  return account
}

export async function setAccountParts(tx: Queries, account: Account, parts: number[]): Promise<void> {
  await tx.count(setParts, [account.part, account.id, parts])
}

/** Kept as a signpost, without profiles: its tokens stop working with it. */
export async function markMerged(tx: Queries, account: Account, into: string): Promise<void> {
  await tx.count(setMerged, [account.part, account.id, into])
}

export async function deleteAccount(tx: Queries, account: Pick<Account, 'part' | 'id'>): Promise<void> {
  await tx.count(remove, [account.part, account.id])
}

function toAccount(row: Row): Account {
  return { part: row.part, id: row.id, appId: row.app_id, parts: row.parts, createdAt: row.created_at }
}
