import type { OperatorRole } from '#model/apps/operator.ts'
import { ApiError } from '#model/errors.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { auditInstallation } from '#store/audit.ts'
import { deleteLinksOf } from '#store/operators/links.ts'
import * as store from '#store/operators/operators.ts'
import { deletePasskeysOf, listPasskeys } from '#store/operators/passkeys.ts'
import { deleteSessionsOf, listSessions } from '#store/operators/sessions.ts'
import type { AddressedDeps, OperatorDeps } from './deps.ts'
import { linkForOperator, type NewLink, requireName } from './links.ts'
import { timesAt } from './sessions.ts'

/** All operators, with how they can sign in. */
export async function presentOperators(deps: OperatorDeps) {
  const [operators, passkeys, sessions] = await Promise.all([
    store.listOperators(deps.database),
    listPasskeys(deps.database),
    listSessions(deps.database, timesAt(deps)),
  ])
  return operators.map(({ id, name, role, apps, password, createdAt }) => {
    const own = sessions.filter(({ operatorId }) => operatorId === id)
    return {
      id,
      name,
      role,
      apps,
      password: password !== undefined,
      passkeys: passkeys.filter(({ operatorId }) => operatorId === id).length,
      sessions: own.length,
      created_at: createdAt,
      seen_at: own.length === 0 ? undefined : Math.max(...own.map(({ seenAt }) => seenAt)),
    }
  })
}

export type PresentedOperator = Awaited<ReturnType<typeof presentOperators>>[number]

/** Changes take effect with the next request of the operator's sessions. */
export async function changeOperator(
  deps: OperatorDeps,
  id: string,
  change: { name?: string | undefined; role?: OperatorRole | undefined; apps?: string[] | undefined },
  actor: string,
): Promise<PresentedOperator> {
  await deps.database.transaction(async (tx) => {
    const { found, others } = await lockOperator(tx, id)
    const role = change.role ?? found.role
    const name = change.name === undefined ? found.name : requireName(change.name)
    const apps = role === 'operator' ? [] : (change.apps ?? found.apps)
    if (found.role === 'operator' && role !== 'operator') requireOther(others)
    if (others.some((other) => store.loginOf(other.name) === store.loginOf(name)))
      throw new ApiError('already_exists', 'An operator with this name exists.', { param: 'name' })
    await store.updateOperator(tx, { id, name, role, apps })
    const detail = { operator: id, name, role, apps }
    await auditInstallation(tx, { at: deps.clock.now(), actor, action: 'operator.update', detail })
  })
  return requirePresented(deps, id)
}

/** Removes an operator with their passkeys, links and sessions. */
export async function removeOperator(deps: OperatorDeps, id: string, actor: string): Promise<void> {
  await deps.database.transaction(async (tx) => {
    const { found, others } = await lockOperator(tx, id)
    if (found.role === 'operator') requireOther(others)
    await deleteSessionsOf(tx, id)
    await deletePasskeysOf(tx, id)
    await deleteLinksOf(tx, id)
    await store.deleteOperator(tx, id)
    const detail = { operator: id, name: found.name }
    await auditInstallation(tx, { at: deps.clock.now(), actor, action: 'operator.delete', detail })
  })
}

export async function newLinkForOperator(deps: AddressedDeps, id: string, actor: string): Promise<NewLink> {
  const operator = await store.findOperator(deps.database, id)
  if (operator === undefined) throw unknown(id)
  return linkForOperator(deps, operator, actor)
}

/** By id or by name, for the command line. */
export async function idOfOperator(deps: OperatorDeps, named: string): Promise<string> {
  const found =
    (await store.findOperator(deps.database, named)) ?? (await store.findOperatorByName(deps.database, named))
  if (found === undefined) throw unknown(named)
  return found.id
}

export async function requirePresented(deps: OperatorDeps, id: string): Promise<PresentedOperator> {
  const found = (await presentOperators(deps)).find((operator) => operator.id === id)
  if (found === undefined) throw unknown(id)
  return found
}

async function lockOperator(tx: Queries, id: string) {
  const all = await store.lockOperators(tx)
  const found = all.find((operator) => operator.id === id)
  if (found === undefined) throw unknown(id)
  return { found, others: all.filter((operator) => operator !== found) }
}

function requireOther(others: readonly store.StoredOperator[]): void {
  if (!others.some(({ role }) => role === 'operator')) throw new ApiError('last_operator')
}

function unknown(id: string): ApiError {
  return new ApiError('not_found', `There is no operator ${id}.`)
}
