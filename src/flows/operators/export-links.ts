import type { Account } from '#model/accounts/account.ts'
import { mayUseApp, type Operator } from '#model/apps/operator.ts'
import { ApiError } from '#model/errors.ts'
import { findAccountById } from '#store/identity/accounts.ts'
import { isOurChallenge, newChallenge, takeChallenge } from './challenges.ts'
import type { OperatorDeps } from './deps.ts'

/** How long a browser may take to follow the link. */
const EXPORT_LINK_TTL_MS = 60_000

/**
 * A ticket with which the browser of this session, and no other, downloads an account once. A browser that saves a file as it arrives
 * follows a link or a form, which carry no header: so the ticket proves that a page of the dashboard asked for it.
 */
export async function createExportTicket(
  deps: OperatorDeps,
  operator: Operator,
  accountId: string,
): Promise<{ ticket: string; expiresAt: number }> {
  const { id } = await accountFor(deps, operator, accountId)
  const ticket = newChallenge(deps, purposeOf(operator, id), EXPORT_LINK_TTL_MS)
  return { ticket, expiresAt: deps.clock.now() + EXPORT_LINK_TTL_MS }
}

/** Uses the ticket up. What the operator may see is decided now, not when the ticket was made. */
export async function redeemExportTicket(
  deps: OperatorDeps,
  operator: Operator,
  accountId: string,
  ticket: string,
): Promise<Account> {
  const refusal = () =>
    new ApiError('link_invalid', 'The link to the export was used, or has expired. Export again in the dashboard.')
  if (!isOurChallenge(deps, purposeOf(operator, accountId), ticket)) throw refusal()
  const account = await accountFor(deps, operator, accountId)
  if (!(await takeChallenge(deps, deps.database, ticket))) throw refusal()
  return account
}

/** An account of an app that the operator may not use looks like one that does not exist. */
async function accountFor({ database }: OperatorDeps, operator: Operator, id: string): Promise<Account> {
  const account = await findAccountById(database, id)
  if (account === undefined || !mayUseApp(operator, account.appId))
    throw new ApiError('not_found', 'There is no such account.')
  return account
}

function purposeOf({ session }: Operator, accountId: string): string {
  if (session === undefined) throw new ApiError('signed_out')
  return `export ${session.id} ${accountId}`
}
