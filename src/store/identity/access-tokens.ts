import type { Account, OpenedAccount, ProfileRef, ReadingAccount, TokenKey } from '#model/account.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { type ProfileRefRow, profileRefColumns, profileRefOrder, toProfileRef } from '../items/readable-profiles.ts'

const insert = statement(
  'token-insert',
  'insert into access_token (shard, hash, account_id, created_at) values ($1, $2, $3, $4)',
)
// A token lives as long as its account and its app do; both are looked at here, in one step. Most calls go on to the
// account's profiles, so these come along: one row for each, and one without when there is none.
const find = statement(
  'token-find',
  `select a.shard, a.id, a.app_id, a.shards, a.created_at, ${profileRefColumns} from access_token t
   join account a on a.shard = t.shard and a.id = t.account_id
   join app on app.id = a.app_id
   left join profile p on p.shard = any(a.shards) and p.account_id = a.id
   where t.shard = $1 and t.hash = $2 and t.revoked_at is null and a.merged_into is null and app.deleting_at is null ${profileRefOrder}`,
)
const revoke = statement(
  'token-revoke',
  'update access_token set revoked_at = $3 where shard = $1 and hash = $2 and revoked_at is null',
)
const revokeAll = statement(
  'token-revoke-all',
  'update access_token set revoked_at = $3 where shard = $1 and account_id = $2 and revoked_at is null',
)

export async function insertAccessToken(tx: Queries, account: Account, hash: Buffer, nowMs: number): Promise<void> {
  await tx.count(insert, [account.shard, hash, account.id, nowMs])
}

interface Row extends Record<keyof ProfileRefRow, unknown> {
  shard: number
  id: string
  app_id: string
  shards: number[]
  created_at: number
}

/** The one row of an account without profiles has none of these. */
function isProfileRef(row: Row): row is Row & ProfileRefRow {
  return typeof row.ref_id === 'string'
}

export async function findAccountByToken(queries: Queries, key: TokenKey): Promise<OpenedAccount | undefined> {
  const rows = await queries.rows<Row>(find, [key.shard, key.hash])
  const [row] = rows
  if (row === undefined) return undefined
  return {
    shard: row.shard,
    id: row.id,
    appId: row.app_id,
    shards: row.shards,
    createdAt: row.created_at,
    token: key,
    profiles: rows.filter(isProfileRef).map(toProfileRef),
  }
}

/** What must still be so when a statement reads for the holder of a token. */
export interface Proof {
  token: TokenKey
  accountId: string
  profileIds: readonly string[]
  /** Those profiles, all of them and in this order: what was remembered decides what is read. Else others may have joined. */
  exactly: boolean
}

/** For an account that was only cached; undefined when it was just looked up. */
export function proofOfCached(account: ReadingAccount): Proof | undefined {
  if (!('cached' in account)) return undefined
  const { token, id, profiles } = account.cached
  return { token, accountId: id, profileIds: profiles.map(({ profileId }) => profileId), exactly: true }
}

/** For what goes on with profiles that were chosen before; undefined when no token is behind it. */
export function proofOfHolding(account: ReadingAccount, readable: readonly ProfileRef[]): Proof | undefined {
  const { token, id } = 'cached' in account ? account.cached : account
  if (token === undefined) return undefined
  return { token, accountId: id, profileIds: readable.map(({ profileId }) => profileId), exactly: false }
}

/** True in SQL as long as the token opens this account, with these profiles: all that a reader builds upon. */
export function stillOpens(values: { add(value: unknown): string }, proof: Proof): string {
  const same = proof.exactly ? '=' : '<@'
  return `exists (select from access_token t
    join account a on a.shard = t.shard and a.id = t.account_id
    join app on app.id = a.app_id
    where t.shard = ${values.add(proof.token.shard)} and t.hash = ${values.add(proof.token.hash)} and t.revoked_at is null
      and a.id = ${values.add(proof.accountId)} and a.merged_into is null and app.deleting_at is null and ${values.add(proof.profileIds)}::text[]
        ${same} array(select p.id from profile p where p.shard = any(a.shards) and p.account_id = a.id ${profileRefOrder}))`
}

export async function revokeAccessToken(
  queries: Queries,
  shard: number,
  hash: Buffer,
  nowMs: number,
): Promise<boolean> {
  return (await queries.count(revoke, [shard, hash, nowMs])) > 0
}

export async function revokeAllTokens(tx: Queries, account: Account, nowMs: number): Promise<number> {
  return tx.count(revokeAll, [account.shard, account.id, nowMs])
}
