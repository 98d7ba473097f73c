import type { OperatorRole } from '#model/apps/operator.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

export type SignInMethod = 'password' | 'passkey' | 'link'

/** A browser in which an operator is signed in. */
export interface OperatorSession {
  id: string
  operatorId: string
  method: SignInMethod
  browser: string
  address: string
  createdAt: number
  seenAt: number
  authenticatedAt: number
  expiresAt: number
}

/** With the operator, as they are now. */
export interface OpenSession extends OperatorSession {
  name: string
  role: OperatorRole
  apps: string[]
}

interface Row {
  id: string
  operator_id: string
  method: SignInMethod
  browser: string
  address: string
  created_at: number
  seen_at: number
  authenticated_at: number
  expires_at: number
}

interface OpenRow extends Row {
  name: string
  role: OperatorRole
  apps: string[]
}

const columns =
  's.id, s.operator_id, s.method, s.browser, s.address, s.created_at, s.seen_at, s.authenticated_at, s.expires_at'
const insert = statement(
  'operator-session-insert',
  `insert into operator_session (hash, id, operator_id, method, browser, address, created_at, seen_at, authenticated_at,
     expires_at)
   values ($hash, $id, $operatorId, $method, $browser, $address, $createdAt, $seenAt, $authenticatedAt, $expiresAt)`,
)
const find = statement(
  'operator-session-find',
  `select ${columns}, o.name, o.role, o.apps from operator_session s join operator o on o.id = s.operator_id
   where s.hash = $hash and s.expires_at > $nowMs and s.seen_at > $idleSince`,
)
const list = statement(
  'operator-session-list',
  `select ${columns}, o.name, o.role, o.apps from operator_session s join operator o on o.id = s.operator_id
   where s.expires_at > $nowMs and s.seen_at > $idleSince order by s.seen_at desc, s.id`,
)
const touch = statement(
  'operator-session-touch',
  'update operator_session set seen_at = $nowMs where hash = $hash and seen_at < $nowMs',
)
const remove = statement('operator-session-delete', 'delete from operator_session where hash = $hash')
const removeById = statement('operator-session-delete-id', 'delete from operator_session where id = $id')
const removeOf = statement(
  'operator-session-delete-of',
  'delete from operator_session where operator_id = $operatorId and id is distinct from $keepId',
)
const purge = statement(
  'operator-session-purge',
  'delete from operator_session where expires_at <= $nowMs or seen_at <= $idleSince',
)

export async function insertSession(tx: Queries, hash: Buffer, session: OperatorSession): Promise<void> {
  await tx.count(insert.with({ hash, ...session }))
}

export async function findSession(
  queries: Queries,
  hash: Buffer,
  times: { nowMs: number; idleSince: number },
): Promise<OpenSession | undefined> {
  const [row] = await queries.rows<OpenRow>(find.with({ hash, ...times }))
  return row && toOpen(row)
}

export async function listSessions(
  queries: Queries,
  times: { nowMs: number; idleSince: number },
): Promise<OpenSession[]> {
  return (await queries.rows<OpenRow>(list.with(times))).map(toOpen)
}

export async function touchSession(queries: Queries, hash: Buffer, nowMs: number): Promise<void> {
  await queries.count(touch.with({ hash, nowMs }))
}

export async function deleteSession(tx: Queries, hash: Buffer): Promise<void> {
  await tx.count(remove.with({ hash }))
}

/** False if there is no such session. */
export async function deleteSessionById(tx: Queries, id: string): Promise<boolean> {
  return (await tx.count(removeById.with({ id }))) > 0
}

/** Ends every session of an operator, except one. Returns how many. */
export function deleteSessionsOf(tx: Queries, operatorId: string, keepId: string | null = null): Promise<number> {
  return tx.count(removeOf.with({ operatorId, keepId }))
}

export function purgeSessions(queries: Queries, times: { nowMs: number; idleSince: number }): Promise<number> {
  return queries.count(purge.with(times))
}

function toOpen(row: OpenRow): OpenSession {
  return {
    id: row.id,
    operatorId: row.operator_id,
    method: row.method,
    browser: row.browser,
    address: row.address,
    createdAt: row.created_at,
    seenAt: row.seen_at,
    authenticatedAt: row.authenticated_at,
    expiresAt: row.expires_at,
    name: row.name,
    role: row.role,
    apps: row.apps,
  }
}
