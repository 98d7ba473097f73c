import type { Account, OpenedAccount, ProfileRef, ReadingAccount, TokenKey } from '#model/account.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { type ProfileRefRow, profileRefColumns, profileRefOrder, toProfileRef } from '../items/readable-profiles.ts'

const insert = statement(
  'token-insert',
  `insert into access_token (shard, hash, account_id, created_at)
   values ($shard, $hash, $accountId, $createdAt)`,
)
// A token is valid only while its account and its app are, so one statement checks all three. Most calls read the
// account's profiles next, so they are included: one row for each profile, or one row without a profile.
const findAccount = statement(
  'token-find',
  `select a.shard, a.id, a.app_id, a.shards, a.created_at, ${profileRefColumns} from access_token t
   join account a on a.shard = t.shard and a.id = t.account_id
   join app on app.id = a.app_id
   left join profile p on p.shard = any(a.shards) and p.account_id = a.id
   where t.shard = $shard and t.hash = $hash and t.revoked_at is null
     and a.merged_into is null and app.deleting_at is null
   ${profileRefOrder}`,
)
const revoke = statement(
  'token-revoke',
  'update access_token set revoked_at = $revokedAt where shard = $shard and hash = $hash and revoked_at is null',
)
const revokeAll = statement(
  'token-revoke-all',
  `update access_token set revoked_at = $revokedAt
   where shard = $shard and account_id = $accountId and revoked_at is null`,
)

export async function insertAccessToken(tx: Queries, account: Account, hash: Buffer, nowMs: number): Promise<void> {
  await tx.count(insert.with({ shard: account.shard, hash, accountId: account.id, createdAt: nowMs }))
}

interface Row extends Record<keyof ProfileRefRow, unknown> {
  shard: number
  id: string
  app_id: string
  shards: number[]
  created_at: number
}

/** False for the single row of an account without profiles. */
function isProfileRef(row: Row): row is Row & ProfileRefRow {
  return typeof row.ref_id === 'string'
}

export async function findAccountByToken(queries: Queries, key: TokenKey): Promise<OpenedAccount | undefined> {
  const rows = await queries.rows<Row>(findAccount.with({ shard: key.shard, hash: key.hash }))
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

/** What a statement must verify before it reads on behalf of a token. */
export interface Proof {
  token: TokenKey
  accountId: string
  profileIds: readonly string[]
  /** True: the account has exactly these profiles, in this order, because they were cached. False: it may have more. */
  exactly: boolean
}

/** For a cached account; undefined for one that was just read from the database. */
export function proofOfCached(account: ReadingAccount): Proof | undefined {
  if (!('cached' in account)) return undefined
  const { token, id, profiles } = account.cached
  return { token, accountId: id, profileIds: profiles.map(({ profileId }) => profileId), exactly: true }
}

/** For further reads of profiles that were selected before; undefined when the account was not found by a token. */
export function proofOfHolding(account: ReadingAccount, readable: readonly ProfileRef[]): Proof | undefined {
  const { token, id } = 'cached' in account ? account.cached : account
  if (token === undefined) return undefined
  return { token, accountId: id, profileIds: readable.map(({ profileId }) => profileId), exactly: false }
}

/** SQL that is true while the token is valid for this account and the account has these profiles. */
export function stillOpens(values: { add(value: unknown): string }, proof: Proof): string {
  const operator = proof.exactly ? '=' : '<@'
  return `exists (select from access_token t
    join account a on a.shard = t.shard and a.id = t.account_id
    join app on app.id = a.app_id
    where t.shard = ${values.add(proof.token.shard)} and t.hash = ${values.add(proof.token.hash)}
      and t.revoked_at is null and a.id = ${values.add(proof.accountId)}
      and a.merged_into is null and app.deleting_at is null
      and ${values.add(proof.profileIds)}::text[] ${operator} array(
        select p.id from profile p where p.shard = any(a.shards) and p.account_id = a.id ${profileRefOrder}))`
}

export async function revokeAccessToken(
  queries: Queries,
  shard: number,
  hash: Buffer,
  nowMs: number,
): Promise<boolean> {
  return (await queries.count(revoke.with({ shard, hash, revokedAt: nowMs }))) > 0
}

export async function revokeAllTokens(tx: Queries, account: Account, nowMs: number): Promise<number> {
  return tx.count(revokeAll.with({ shard: account.shard, accountId: account.id, revokedAt: nowMs }))
}
