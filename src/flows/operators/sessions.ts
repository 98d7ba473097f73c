import { actorOfOperator, type Operator, SESSION_IDLE_MS, SESSION_LIFETIME_MS } from '#model/apps/operator.ts'
import { ApiError } from '#model/errors.ts'
import { newId, randomSecret } from '#platform/crypto/ids.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { auditInstallation } from '#store/audit.ts'
import type { StoredOperator } from '#store/operators/operators.ts'
import * as sessions from '#store/operators/sessions.ts'
import type { Browser, OperatorDeps } from './deps.ts'

/** How often the time of the last use is stored. */
const TOUCH_MS = 60_000
/** Limit: characters of a browser's name that are stored. */
const MAX_BROWSER = 200

/** Begins a session, in the transaction of the sign-in; that of this browser ends. Returns the value of the cookie. */
export async function openSession(
  { hasher, clock }: Pick<OperatorDeps, 'hasher' | 'clock'>,
  tx: Queries,
  operator: StoredOperator,
  method: sessions.SignInMethod,
  browser: Browser,
): Promise<string> {
  const now = clock.now()
  const token = randomSecret()
  const id = newId(now)
  if (browser.token !== undefined) await sessions.deleteSession(tx, hashOf({ hasher }, browser.token))
  await sessions.insertSession(tx, hashOf({ hasher }, token), {
    id,
    operatorId: operator.id,
    method,
    browser: browser.name.slice(0, MAX_BROWSER),
    address: browser.address,
    createdAt: now,
    seenAt: now,
    authenticatedAt: now,
    expiresAt: now + SESSION_LIFETIME_MS,
  })
  const actor = actorOfOperator(operator.id)
  await auditInstallation(tx, { at: now, actor, action: 'operator.sign_in', detail: { method, session: id } })
  return token
}

/** The operator of a session; undefined if it has ended. */
export async function operatorOfSession(deps: OperatorDeps, token: string): Promise<Operator | undefined> {
  const hash = hashOf(deps, token)
  const times = timesAt(deps)
  const session = await sessions.findSession(deps.database, hash, times)
  if (session === undefined) return undefined
  if (session.seenAt + TOUCH_MS <= times.nowMs) await sessions.touchSession(deps.database, hash, times.nowMs)
  const { id, operatorId, authenticatedAt, name, role, apps } = session
  return { actor: actorOfOperator(operatorId), name, role, apps, session: { id, operatorId, authenticatedAt } }
}

export async function endSession(deps: OperatorDeps, token: string): Promise<void> {
  await deps.database.transaction(async (tx) => {
    const session = await sessions.findSession(tx, hashOf(deps, token), timesAt(deps))
    if (session === undefined) return
    await sessions.deleteSession(tx, hashOf(deps, token))
    const actor = actorOfOperator(session.operatorId)
    const detail = { session: session.id }
    await auditInstallation(tx, { at: deps.clock.now(), actor, action: 'operator.sign_out', detail })
  })
}

/** The sessions that the caller may see: all, or a developer's own. */
export async function listOwnSessions(deps: OperatorDeps, caller: Operator) {
  const all = await sessions.listSessions(deps.database, timesAt(deps))
  const shown = all.filter(({ operatorId }) => caller.role === 'operator' || operatorId === caller.session?.operatorId)
  return shown.map((session) => ({
    id: session.id,
    operator: session.operatorId,
    name: session.name,
    method: session.method,
    browser: session.browser,
    address: session.address,
    created_at: session.createdAt,
    seen_at: session.seenAt,
    expires_at: Math.min(session.expiresAt, session.seenAt + SESSION_IDLE_MS),
    current: session.id === caller.session?.id,
  }))
}

/** Ends a session that the caller may see. */
export async function endSessionById(deps: OperatorDeps, caller: Operator, id: string): Promise<void> {
  const found = (await listOwnSessions(deps, caller)).find((session) => session.id === id)
  if (found === undefined) throw new ApiError('not_found', `There is no session ${id}.`)
  await deps.database.transaction(async (tx) => {
    await sessions.deleteSessionById(tx, id)
    const detail = { session: id, operator: found.operator }
    await auditInstallation(tx, { at: deps.clock.now(), actor: caller.actor, action: 'operator.end_session', detail })
  })
}

/** Ends every session of an operator, except that of the caller if it is `kept`. Returns how many. */
export async function endSessionsOf(
  deps: OperatorDeps,
  caller: Pick<Operator, 'actor' | 'session'>,
  operatorId: string,
  kept: boolean,
): Promise<number> {
  return deps.database.transaction(async (tx) => {
    const ended = await sessions.deleteSessionsOf(tx, operatorId, kept ? (caller.session?.id ?? null) : null)
    const detail = { operator: operatorId, ended }
    await auditInstallation(tx, { at: deps.clock.now(), actor: caller.actor, action: 'operator.end_sessions', detail })
    return ended
  })
}

export function timesAt({ clock }: Pick<OperatorDeps, 'clock'>): { nowMs: number; idleSince: number } {
  return { nowMs: clock.now(), idleSince: clock.now() - SESSION_IDLE_MS }
}

function hashOf({ hasher }: Pick<OperatorDeps, 'hasher'>, token: string): Buffer {
  return hasher.hash('operator_session', token)
}
