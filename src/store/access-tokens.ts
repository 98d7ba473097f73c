import type { Account, Held, OpenedAccount, ReadingAccount, TokenKey } from '#model/account.ts'
import { type Queries, statement } from './database.ts'
import { type HeldRow, heldColumns, heldOrder, toHeld } from './readable.ts'

const insert = statement(
  'token-insert',
  'insert into access_token (part, hash, account_id, created_at) values ($1, $2, $3, $4)',
)
// A token lives as long as its account and its app do; both are looked at here, in one step. Most calls go on to the
// account's profiles, so these come along: one row for each, and one without when there is none.
const find = statement(
  'token-find',
  `select a.part, a.id, a.app_id, a.parts, a.created_at, ${heldColumns} from access_token t
   join account a on a.part = t.part and a.id = t.account_id
   join app on app.id = a.app_id
   left join profile p on p.part = any(a.parts) and p.account_id = a.id
   where t.part = $1 and t.hash = $2 and t.revoked_at is null and a.merged_into is null and app.deleting_at is null ${heldOrder}`,
)
const revoke = statement(
  'token-revoke',
  'update access_token set revoked_at = $3 where part = $1 and hash = $2 and revoked_at is null',
)
const revokeAll = statement(
  'token-revoke-all',
  'update access_token set revoked_at = $3 where part = $1 and account_id = $2 and revoked_at is null',
)

export async function insertAccessToken(tx: Queries, account: Account, hash: Buffer, nowMs: number): Promise<void> {
  await tx.count(insert, [account.part, hash, account.id, nowMs])
}

interface Row extends Record<keyof HeldRow, unknown> {
  part: number
  id: string
  app_id: string
  parts: number[]
  created_at: number
}

/** The one row of an account without profiles has none of these. */
function isHeld(row: Row): row is Row & HeldRow {
  return typeof row.held_id === 'string'
}

export async function findAccountByToken(queries: Queries, key: TokenKey): Promise<OpenedAccount | undefined> {
  const rows = await queries.rows<Row>(find, [key.part, key.hash])
  const [row] = rows
  if (row === undefined) return undefined
  return {
    part: row.part,
    id: row.id,
    appId: row.app_id,
    parts: row.parts,
    createdAt: row.created_at,
    token: key,
    holds: rows.filter(isHeld).map(toHeld),
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
  const { token, id, holds } = account.cached
  return { token, accountId: id, profileIds: holds.map(({ profileId }) => profileId), exactly: true }
}

/** For what goes on with profiles that were chosen before; undefined when no token is behind it. */
export function proofOfHolding(account: ReadingAccount, readable: readonly Held[]): Proof | undefined {
  const { token, id } = 'cached' in account ? account.cached : account
  if (token === undefined) return undefined
  return { token, accountId: id, profileIds: readable.map(({ profileId }) => profileId), exactly: false }
}

/** True in SQL as long as the token opens this account, with these profiles: all that a reader builds upon. */
export function stillOpens(values: { add(value: unknown): string }, proof: Proof): string {
  const same = proof.exactly ? '=' : '<@'
  return `exists (select from access_token t
    join account a on a.part = t.part and a.id = t.account_id
    join app on app.id = a.app_id
    where t.part = ${values.add(proof.token.part)} and t.hash = ${values.add(proof.token.hash)} and t.revoked_at is null
      and a.id = ${values.add(proof.accountId)} and a.merged_into is null and app.deleting_at is null and ${values.add(proof.profileIds)}::text[]
        ${same} array(select p.id from profile p where p.part = any(a.parts) and p.account_id = a.id ${heldOrder}))`
}

export async function revokeAccessToken(queries: Queries, part: number, hash: Buffer, nowMs: number): Promise<boolean> {
  return (await queries.count(revoke, [part, hash, nowMs])) > 0
}

export async function revokeAllTokens(tx: Queries, account: Account, nowMs: number): Promise<number> {
  return tx.count(revokeAll, [account.part, account.id, nowMs])
}
