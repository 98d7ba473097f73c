import type { Account } from '#model/accounts/account.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { type Batch, deleteBatch, deleteSome } from '../delete-in-batches.ts'

/** A link to the page of connections, and the browser session that it becomes when it is used. */
export interface ConnectionsSession {
  /** The shard of the account. */
  shard: number
  /** Of the link. */
  hash: Buffer
  appId: string
  accountId: string
  redirectUri: string
  language: string | undefined
  expiresAt: number
  /** Of the cookie; undefined until the link is used. */
  sessionHash: Buffer | undefined
}

/** Limit: links to the page of connections, and sessions there, that one account has at the same time; a further one ends the oldest. */
const MAX_SESSIONS = 10

const columns = 'shard, hash, app_id, account_id, redirect_uri, language, expires_at, session_hash'
const insert = statement(
  'connections-session-insert',
  `insert into connections_session (shard, hash, app_id, account_id, redirect_uri, language, expires_at)
   values ($shard, $hash, $appId, $accountId, $redirectUri, $language, $expiresAt)`,
)
const removeOldest = statement(
  'connections-session-limit',
  `delete from connections_session where shard = $shard and account_id = $accountId and hash in (
     select hash from connections_session where shard = $shard and account_id = $accountId
     order by expires_at desc, hash offset ${MAX_SESSIONS})`,
)
const findLink = statement(
  'connections-session-link',
  `select ${columns} from connections_session where shard = $shard and hash = $hash`,
)
const open = statement(
  'connections-session-open',
  `update connections_session set session_hash = $sessionHash, expires_at = $expiresAt
   where shard = $shard and hash = $hash and session_hash is null and expires_at >= $nowMs
   returning ${columns}`,
)
const findOpen = statement(
  'connections-session-find',
  `select ${columns} from connections_session where shard = $shard and session_hash = $sessionHash`,
)
const removeOfAccount = statement(
  'connections-session-remove',
  'delete from connections_session where shard = $shard and account_id = $accountId',
)
const purge = statement(
  'connections-session-purge',
  deleteSome('connections_session', 'shard, hash', 'expires_at < $before'),
)

export async function insertConnectionsLink(tx: Queries, link: Omit<ConnectionsSession, 'sessionHash'>): Promise<void> {
  const { shard, accountId, language = null } = link
  await tx.count(insert.with({ ...link, language }))
  await tx.count(removeOldest.with({ shard, accountId }))
}

interface Row {
  shard: number
  hash: Buffer
  app_id: string
  account_id: string
  redirect_uri: string
  language: string | null
  expires_at: number
  session_hash: Buffer | null
}

function toSession(row: Row): ConnectionsSession {
  return {
    shard: row.shard,
    hash: row.hash,
    appId: row.app_id,
    accountId: row.account_id,
    redirectUri: row.redirect_uri,
    language: row.language ?? undefined,
    expiresAt: row.expires_at,
    sessionHash: row.session_hash ?? undefined,
  }
}

/** By the link. Also returns one that has expired or was used. */
export async function findConnectionsLink(
  queries: Queries,
  shard: number,
  hash: Buffer,
): Promise<ConnectionsSession | undefined> {
  const [row] = await queries.rows<Row>(findLink.with({ shard, hash }))
  return row && toSession(row)
}

/** Turns a link into a session. Undefined when it has expired or was used before, also by a concurrent request. */
export async function openConnectionsSession(
  queries: Queries,
  { shard, hash }: Pick<ConnectionsSession, 'shard' | 'hash'>,
  session: { sessionHash: Buffer; expiresAt: number; nowMs: number },
): Promise<ConnectionsSession | undefined> {
  const [row] = await queries.rows<Row>(open.with({ shard, hash, ...session }))
  return row && toSession(row)
}

/** By the cookie. Also returns one that has expired. */
export async function findConnectionsSession(
  queries: Queries,
  shard: number,
  sessionHash: Buffer,
): Promise<ConnectionsSession | undefined> {
  const [row] = await queries.rows<Row>(findOpen.with({ shard, sessionHash }))
  return row && toSession(row)
}

/** Ends all links and sessions of an account. */
export async function removeConnectionsSessions(tx: Queries, { shard, id }: Account): Promise<void> {
  await tx.count(removeOfAccount.with({ shard, accountId: id }))
}

export function purgeConnectionsSessions(queries: Queries, before: number): Promise<Batch> {
  return deleteBatch(queries, purge.with({ before }))
}
