import type {
  Account,
  OpenedAccount,
  OwnedProfile,
  ProfileRef,
  TokenKey,
  VerifiedOrCachedAccount,
} from '#model/accounts/account.ts'
import { execute, type Queries, statement } from '#platform/postgres/database.ts'
import { type Batch, deleteBatch, deleteSome } from '../delete-in-batches.ts'
import { findAccount as findStoredAccount } from './accounts.ts'
import {
  type ProfileRefRow,
  profileRefColumns,
  profileRefOrder,
  profileRefsIn,
  profileRefsOf,
  toProfileRefs,
} from './readable-profiles.ts'

const insert = statement(
  'token-insert',
  `insert into access_token (shard, hash, account_id, profile_id, created_at)
   values ($shard, $hash, $accountId, $profileId, $createdAt)`,
)
// Of each profile first the one that was used last, then the second one of each, and so on: what exceeds the limit is the least recently
// used of the profiles with the most tokens. So somebody who has a token, and connects a profile of their own, only replaces tokens of theirs.
const limit = statement(
  'token-limit',
  `delete from access_token where shard = $shard and hash in (
     select hash from (
       select hash, used, row_number() over (partition by profile_id order by used desc, hash) as place from (
         select hash, profile_id, coalesce(used_at, created_at) as used from access_token
         where shard = $shard and account_id = $accountId and hash <> $hash and revoked_at is null) live) placed
     order by place, used desc, hash offset $kept)`,
)
const leave = statement(
  'token-leave-profiles',
  `update access_token set profile_id = ''
   where shard = $shard and account_id = $accountId and profile_id = any($profileIds)`,
)
const markUsed = statement(
  'token-used',
  `update access_token set used_at = $usedAt
   where shard = $shard and hash = any($hashes) and (used_at is null or used_at < $usedAt)`,
)
// A token is valid only while its account and its app are, so one statement checks all three. Most calls read the
// account's profiles next, so those of the token's shard are included: one row for each, or one row without a profile.
/** For statements that find the account of a token `t` in its shard. */
export const openedColumns = `a.shard, a.id, a.app_id, a.shards, a.created_at, ${profileRefColumns}`
export const openedJoins = `join account a on a.shard = $shard and a.id = t.account_id
   join app on app.id = a.app_id
   left join profile p on p.shard = $shard and p.account_id = a.id` as const
export const isOpened = 'a.merged_into is null and app.deleting_at is null'
/** When the token was used last, to a day. */
export const usedColumn = 'coalesce(t.used_at, t.created_at) as token_used_at'
const findAccount = statement(
  'token-find',
  `select ${openedColumns}, ${usedColumn} from access_token t ${openedJoins}
   where t.shard = $shard and t.hash = $hash and t.revoked_at is null and ${isOpened}`,
)
const revoke = statement(
  'token-revoke',
  'update access_token set revoked_at = $revokedAt where shard = $shard and hash = $hash and revoked_at is null',
)
const purge = statement('token-purge', deleteSome('access_token', 'shard, hash', 'revoked_at < $before'))
const revokeAll = statement(
  'token-revoke-all',
  `update access_token set revoked_at = $revokedAt
   where shard = $shard and account_id = $accountId and revoked_at is null`,
)

/** Limit (sign-in): access tokens of one account that are valid; with a further one, the one that was used least recently ends, of the profile by whose sign-ins most of them were issued. */
const MAX_ACCESS_TOKENS = 1000

export interface NewAccessToken {
  hash: Buffer
  /** By whose sign-in it is issued. */
  profileId: string
  createdAt: number
}

/** The caller has locked the account. Returns how many tokens ended because there are too many. */
export async function insertAccessToken(
  tx: Queries,
  { shard, id: accountId }: Pick<Account, 'shard' | 'id'>,
  { hash, profileId, createdAt }: NewAccessToken,
): Promise<number> {
  await execute(tx, insert.with({ shard, hash, accountId, profileId, createdAt }))
  return tx.count(limit.with({ shard, hash, accountId, kept: MAX_ACCESS_TOKENS - 1 }))
}

/** These profiles of a locked account are disconnected: their tokens stay valid, and are the first to be too many together. */
export async function leaveProfiles(
  tx: Queries,
  { shard, id }: Pick<Account, 'shard' | 'id'>,
  profileIds: readonly string[],
): Promise<void> {
  await execute(tx, leave.with({ shard, accountId: id, profileIds }))
}

export async function markTokensUsed(
  queries: Pick<Queries, 'count'>,
  { shard, hashes, usedAt }: { shard: number; hashes: readonly Buffer[]; usedAt: number },
): Promise<void> {
  await queries.count(markUsed.with({ shard, hashes, usedAt }))
}

/** A row of `openedColumns`. */
export interface OpenedRow extends Record<keyof ProfileRefRow, unknown> {
  shard: number
  id: string
  app_id: string
  shards: number[]
  created_at: number
}

/** With `usedColumn`. */
export interface OpenedByToken extends OpenedRow {
  token_used_at: number
}

/** False for the single row of an account without profiles. */
function isProfileRef(row: OpenedRow): row is OpenedRow & ProfileRefRow {
  return typeof row.ref_id === 'string'
}

export async function findAccountByToken(queries: Queries, key: TokenKey): Promise<OpenedAccount | undefined> {
  const opened = await openAccount(queries, key, () => queries.rows<OpenedByToken>(findAccount.with(key)))
  return opened && { ...opened.account, token: key, tokenUsedAt: opened.row.token_used_at }
}

/** The account of a token with its profiles, by a statement that finds the token in its shard; `row` is one of its rows. */
export async function openAccount<Row extends OpenedRow>(
  queries: Queries,
  { shard }: Pick<TokenKey, 'shard'>,
  find: () => Promise<Row[]>,
): Promise<{ account: Account & { profiles: OwnedProfile[] }; row: Row } | undefined> {
  const rows = await find()
  const [row] = rows
  if (row === undefined) return undefined
  const account = { shard: row.shard, id: row.id, appId: row.app_id, shards: row.shards, createdAt: row.created_at }
  const all: readonly OpenedRow[] = rows
  const refs: ProfileRefRow[] = all.filter(isProfileRef)
  const others = otherShards(account, shard)
  if (others.length > 0) {
    // After a merge the account has profiles in other shards too.
    const further = await profileRefsIn(queries, others, account.id)
    const isComplete = others.every((other) => further.some(({ ref_shard }) => ref_shard === other))
    // A shard without a profile: they were disconnected, or the account was merged into another one between the two statements.
    if (!isComplete && (await find()).length === 0) return undefined
    refs.push(...further)
  }
  return { account: { ...account, profiles: toProfileRefs(refs) }, row }
}

function otherShards({ shards }: Account, shard: number): number[] {
  return shards.filter((each) => each !== shard)
}

/** What must be verified when something is read on behalf of a token, or by an operator. */
export interface Proof {
  /** Of the account. */
  shard: number
  /** Absent for an operator. */
  token?: TokenKey | undefined
  accountId: string
  profiles: readonly Pick<ProfileRef, 'shard' | 'profileId'>[]
  /** True: the account has exactly these profiles, in this order, because they were cached. False: it may have more. */
  exactly: boolean
}

/** For a cached account; undefined for one that was just read from the database. */
export function proofOfCached(account: VerifiedOrCachedAccount): Proof | undefined {
  if (!('cached' in account)) return undefined
  const { token, id, profiles } = account.cached
  return { shard: token.shard, token, accountId: id, profiles, exactly: true }
}

/** For further reads of profiles that were selected before; undefined when neither a token nor an operator opened the account. */
export function proofOfHolding(account: VerifiedOrCachedAccount, readable: readonly ProfileRef[]): Proof | undefined {
  const { token, id } = 'cached' in account ? account.cached : account
  if (token !== undefined) return { shard: token.shard, token, accountId: id, profiles: readable, exactly: false }
  if ('cached' in account || account.isActedFor !== true) return undefined
  return { shard: account.shard, accountId: id, profiles: readable, exactly: false }
}

/** Whether the account and all profiles are in one shard, so that the statement that reads items can verify them. */
export function isProvenInOneShard({ shard, profiles }: Proof): boolean {
  return profiles.every((profile) => profile.shard === shard)
}

/** SQL that is true while the token is valid for this account and the account has these profiles; all of them in one shard. */
export function stillOpens(values: { add(value: unknown): string }, proof: Proof): string {
  const { token, accountId, profiles, exactly } = proof
  const shard = values.add(proof.shard)
  const ids = `${values.add(profiles.map(({ profileId }) => profileId))}::text[]`
  const own = `array(select p.id from profile p where p.shard = ${shard} and p.account_id = a.id ${profileRefOrder})`
  const account = `a.id = ${values.add(accountId)} and a.merged_into is null and app.deleting_at is null`
  const held = exactly ? `a.shards <@ array[${shard}::smallint] and ${ids} = ${own}` : `${ids} <@ ${own}`
  if (token === undefined)
    return `exists (select from account a join app on app.id = a.app_id where a.shard = ${shard} and ${account} and ${held})`
  return `exists (select from access_token t
    join account a on a.shard = ${shard} and a.id = t.account_id
    join app on app.id = a.app_id
    where t.shard = ${shard} and t.hash = ${values.add(token.hash)}
      and t.revoked_at is null and ${account} and ${held})`
}

/** The same by statements of their own, for profiles in several shards. What was read before this holds is not older than the proof. */
export async function isProven(queries: Queries, proof: Proof): Promise<boolean> {
  const { accountId, profiles, exactly } = proof
  const own = await profilesOfProof(queries, proof)
  if (own?.accountId !== accountId) return false
  const ids = own.profiles.map(({ profileId }) => profileId)
  if (exactly) return ids.length === profiles.length && profiles.every(({ profileId }, n) => ids[n] === profileId)
  return profiles.every(({ profileId }) => ids.includes(profileId))
}

async function profilesOfProof(
  queries: Queries,
  { shard, token, accountId }: Proof,
): Promise<{ accountId: string; profiles: ProfileRef[] } | undefined> {
  const account = await (token === undefined
    ? findStoredAccount(queries, shard, accountId)
    : findAccountByToken(queries, token))
  if (account === undefined) return undefined
  return { accountId: account.id, profiles: await profileRefsOf(queries, account) }
}

export async function revokeAccessToken(
  queries: Queries,
  shard: number,
  hash: Buffer,
  nowMs: number,
): Promise<boolean> {
  return (await queries.count(revoke.with({ shard, hash, revokedAt: nowMs }))) > 0
}

/** Deletes some tokens that were revoked before a time. */
export function purgeRevokedTokens(queries: Queries, before: number): Promise<Batch> {
  return deleteBatch(queries, purge.with({ before }))
}

export async function revokeAllTokens(tx: Queries, account: Account, nowMs: number): Promise<number> {
  return tx.count(revokeAll.with({ shard: account.shard, accountId: account.id, revokedAt: nowMs }))
}
