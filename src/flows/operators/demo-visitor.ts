import { actorOfOperator, DEMO_OPERATOR } from '#model/apps/operator.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { auditInstallation } from '#store/audit.ts'
import {
  deleteOperator,
  findOperator,
  insertOperator,
  lockOperators,
  type StoredOperator,
} from '#store/operators/operators.ts'
import { listPasskeys } from '#store/operators/passkeys.ts'
import { deleteSessionsOf } from '#store/operators/sessions.ts'
import type { Browser, OperatorDeps } from './deps.ts'
import { openSession } from './sessions.ts'

/**
 * Signs the visitor of a demo in as its operator, who has no password. Nobody vouches for them but that they are at this machine,
 * which the caller has checked; so it ends as soon as anybody else operates, or this operator can sign in otherwise. Returns the
 * value of the cookie, or undefined.
 */
export async function signInVisitor(deps: OperatorDeps, browser: Browser): Promise<string | undefined> {
  const passkeys = await listPasskeys(deps.database)
  return deps.database.transaction(async (tx) => {
    const operators = await lockOperators(tx)
    const isOther = ({ id, role, password }: StoredOperator) =>
      id === DEMO_OPERATOR ? password !== undefined : role === 'operator'
    if (operators.some(isOther) || passkeys.some(({ operatorId }) => operatorId === DEMO_OPERATOR)) return undefined
    const known = operators.find(({ id }) => id === DEMO_OPERATOR)
    return openSession(deps, tx, known ?? (await createVisitor(deps, tx)), 'link', browser)
  })
}

async function createVisitor({ clock }: OperatorDeps, tx: Queries): Promise<StoredOperator> {
  const now = clock.now()
  const visitor: StoredOperator = { id: DEMO_OPERATOR, name: 'demo', role: 'operator', apps: [], createdAt: now }
  if (await insertOperator(tx, visitor)) {
    const detail = { name: visitor.name, password: false, passkey: false }
    await auditInstallation(tx, { at: now, actor: actorOfOperator(DEMO_OPERATOR), action: 'operator.accept', detail })
  }
  return visitor
}

/** Removes the demo's operator: there is another one, or others can reach this server. One who set a password stays. */
export async function removeVisitor(queries: Queries): Promise<void> {
  const visitor = await findOperator(queries, DEMO_OPERATOR)
  if (visitor === undefined || visitor.password !== undefined) return
  const passkeys = await listPasskeys(queries)
  if (passkeys.some(({ operatorId }) => operatorId === DEMO_OPERATOR)) return
  await deleteSessionsOf(queries, DEMO_OPERATOR)
  await deleteOperator(queries, DEMO_OPERATOR)
}
