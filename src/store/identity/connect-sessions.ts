import { shardIn } from '#platform/crypto/ids.ts'
import type { Keyring } from '#platform/crypto/sealing.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { type Batch, deleteBatch, deleteSome } from '../delete-in-batches.ts'

/** A link by which a person connects a service to an app, and what became of it. */
export interface ConnectSession {
  /** Begins with its shard. */
  id: string
  hash: Buffer
  appId: string
  accountId: string | undefined
  /** JSON text. */
  value: string
  createdAt: number
  expiresAt: number
}

export interface StoredSession extends ConnectSession {
  /** Hash of the cookie of the browser that uses it. */
  browser: Buffer | undefined
  usedAt: number | undefined
  doneAt: number | undefined
  service: string | undefined
  profileId: string | undefined
  revokedAt: number | undefined
}

interface Row {
  id: string
  hash: Buffer
  app_id: string
  account_id: string | null
  sealed: Buffer
  browser: Buffer | null
  used_at: number | null
  done_at: number | null
  service: string | null
  profile_id: string | null
  revoked_at: number | null
  created_at: number
  expires_at: number
}

const columns = `id, hash, app_id, account_id, sealed, browser, used_at, done_at, service, profile_id, revoked_at,
   created_at, expires_at`
const insert = statement(
  'connect-session-insert',
  `insert into connect_session (shard, id, hash, app_id, account_id, sealed, created_at, expires_at)
   values ($shard, $id, $hash, $appId, $accountId, $sealed, $createdAt, $expiresAt)`,
)
const find = statement(
  'connect-session-find',
  `select ${columns} from connect_session where shard = $shard and id = $id`,
)
const findByHash = statement(
  'connect-session-find-by-hash',
  `select ${columns} from connect_session where shard = $shard and hash = $hash`,
)
// One browser, once. The same one may begin again, until the session is done, revoked or over.
const claim = statement(
  'connect-session-claim',
  `update connect_session set browser = $browser, used_at = coalesce(used_at, $nowMs)
   where shard = $shard and id = $id and (browser is null or browser = $browser)
     and done_at is null and revoked_at is null and expires_at > $nowMs`,
)
const finish = statement(
  'connect-session-finish',
  `update connect_session set done_at = $nowMs, service = $service, profile_id = $profileId
   where shard = $shard and id = $id and revoked_at is null`,
)
const revoke = statement(
  'connect-session-revoke',
  `update connect_session set revoked_at = $nowMs
   where shard = $shard and id = $id and revoked_at is null and done_at is null`,
)
const isOpen = 'done_at is null and revoked_at is null and expires_at > $nowMs'
// No more rows are read than matter.
const countOpen = statement(
  'connect-session-count-open',
  `select count(*)::int as open, min(expires_at) as "nextExpiresAt" from (
     select expires_at from connect_session where shard = $shard and app_id = $appId and ${isOpen} limit $max) open`,
)
const expireOldest = statement(
  'connect-session-expire-oldest',
  `update connect_session set expires_at = $nowMs where shard = $shard and id in (
     select id from connect_session where shard = $shard and account_id = $accountId and used_at is null and ${isOpen}
     order by created_at desc, id desc offset $keep)`,
)
const removeOfAccount = statement(
  'connect-session-remove',
  'delete from connect_session where shard = $shard and account_id = $accountId',
)
const purge = statement('connect-session-purge', deleteSome('connect_session', 'shard, id', 'expires_at < $before'))

const cellOf = (id: string) => ({ table: 'connect_session', row: id, column: 'sealed' })

export async function insertConnectSession(tx: Queries, keyring: Keyring, session: ConnectSession): Promise<void> {
  const { id, hash, appId, accountId = null, value, createdAt, expiresAt } = session
  const sealed = keyring.seal(value, cellOf(id))
  await tx.count(insert.with({ shard: shardIn(id), id, hash, appId, accountId, sealed, createdAt, expiresAt }))
}

/** Also returns one that has ended. */
export async function findConnectSession(
  queries: Queries,
  keyring: Keyring,
  shard: number,
  id: string,
): Promise<StoredSession | undefined> {
  const [row] = await queries.rows<Row>(find.with({ shard, id }))
  return row && toSession(keyring, row)
}

export async function findConnectSessionByHash(
  queries: Queries,
  keyring: Keyring,
  shard: number,
  hash: Buffer,
): Promise<StoredSession | undefined> {
  const [row] = await queries.rows<Row>(findByHash.with({ shard, hash }))
  return row && toSession(keyring, row)
}

/** False when another browser has it, or when it has ended. */
export async function claimConnectSession(
  queries: Queries,
  id: string,
  browser: Buffer,
  nowMs: number,
): Promise<boolean> {
  return (await queries.count(claim.with({ shard: shardIn(id), id, browser, nowMs }))) > 0
}

/** False when it was revoked or purged. */
export async function finishConnectSession(
  tx: Queries,
  id: string,
  { service, profileId }: { service: string; profileId: string },
  nowMs: number,
): Promise<boolean> {
  return (await tx.count(finish.with({ shard: shardIn(id), id, service, profileId, nowMs }))) > 0
}

/** False when there was nothing to revoke any more. */
export async function revokeConnectSession(tx: Queries, id: string, nowMs: number): Promise<boolean> {
  return (await tx.count(revoke.with({ shard: shardIn(id), id, nowMs }))) > 0
}

/** Sessions of an app in one shard that a person can still use, up to `max`, and when the first of them ends. */
export async function countOpenSessions(
  queries: Queries,
  values: { shard: number; appId: string; nowMs: number; max: number },
): Promise<{ open: number; nextExpiresAt: number | null }> {
  const [row] = await queries.rows<{ open: number; nextExpiresAt: number | null }>(countOpen.with(values))
  return row ?? { open: 0, nextExpiresAt: null }
}

/** Of the sessions of an account that no browser uses yet, ends all but the newest ones. */
export async function expireOldestSessions(
  tx: Queries,
  account: { shard: number; id: string },
  { nowMs, keep }: { nowMs: number; keep: number },
): Promise<number> {
  return tx.count(expireOldest.with({ shard: account.shard, accountId: account.id, nowMs, keep }))
}

/** With the account: sessions contain what the app calls the person. */
export async function removeConnectSessions(tx: Queries, account: { shard: number; id: string }): Promise<void> {
  await tx.count(removeOfAccount.with({ shard: account.shard, accountId: account.id }))
}

export function purgeConnectSessions(queries: Queries, before: number): Promise<Batch> {
  return deleteBatch(queries, purge.with({ before }))
}

function toSession(keyring: Keyring, row: Row): StoredSession {
  return {
    id: row.id,
    hash: row.hash,
    appId: row.app_id,
    accountId: row.account_id ?? undefined,
    value: keyring.open(row.sealed, cellOf(row.id)),
    browser: row.browser ?? undefined,
    usedAt: row.used_at ?? undefined,
    doneAt: row.done_at ?? undefined,
    service: row.service ?? undefined,
    profileId: row.profile_id ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}
