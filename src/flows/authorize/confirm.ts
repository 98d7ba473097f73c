import { newAccessToken, newTicket } from '#model/access-token.ts'
import { ApiError } from '#model/errors.ts'
import { encodeBase32 } from '#platform/ids.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { findAccountByToken } from '#store/identity/access-tokens.ts'
import { findAccountById } from '#store/identity/accounts.ts'
import { deleteConsent, insertConsent, lockConsent, settleConsent, type UsedConsent } from '#store/identity/consents.ts'
import { isDeclined, lockAsked, returnOf } from './confirm-ticket.ts'
import { requestOf, type SettledValue } from './consent-value.ts'
import { type AuthorizeDeps, TEN_MINUTES_MS } from './deps.ts'
import { applyConsent } from './exchange.ts'
import { revokeUnused } from './expire-sign-ins.ts'
import type { ReturnTo } from './start.ts'

/** What comes of an answer. `done`: the sign-in has taken effect already, and the app has what it asked for. */
export type Confirmed =
  | { kind: 'code'; to: ReturnTo; code: string }
  | { kind: 'token'; to: ReturnTo; token: string; account: string }
  | { kind: 'declined'; to: ReturnTo }
  | { kind: 'done' }

/** The person pressed “Continue”. Pressing again, at once or after going back, gives the same thing again. */
export async function confirmSignIn(
  deps: AuthorizeDeps,
  ticket: string,
  browser: Buffer | undefined,
): Promise<Confirmed> {
  const result = await deps.database.transaction(async (tx) => {
    const consent = await lockAsked(deps, tx, ticket, browser)
    if (isDeclined(consent)) return undefined
    const { responseType } = requestOf(consent)
    return responseType === 'code' ? handCode(deps, tx, consent, ticket) : handToken(deps, tx, consent, ticket)
  })
  if (result === undefined) throw new ApiError('session_expired')
  return result
}

/** The person said no: nothing was attached, and the service is told to forget its token. */
export async function declineSignIn(
  deps: AuthorizeDeps,
  ticket: string,
  browser: Buffer | undefined,
): Promise<Confirmed> {
  const result = await deps.database.transaction(async (tx) => {
    const consent = await lockAsked(deps, tx, ticket, browser)
    const response = { kind: 'declined', to: returnOf(consent) } as const
    if (isDeclined(consent)) return { response }
    // After a “yes” whose code nobody redeemed yet, what the service gave stands beside the code.
    const held = consent.usedAt === undefined ? consent : await lockCode(deps, tx, consent, ticket)
    if (held === undefined || held.usedAt !== undefined) return { response: { kind: 'done' } as const }
    if (held !== consent) await deleteConsent(tx, held)
    await settle(deps, tx, consent, 'no')
    return { response, held }
  })
  if (result.held !== undefined) await revokeUnused(deps, result.held)
  return result.response
}

/** What the page's ticket leads to: the sign-in that waits, with or without its code; undefined when it took effect. */
export async function waitingFor(
  deps: AuthorizeDeps,
  tx: Queries,
  consent: UsedConsent,
  ticket: string,
): Promise<UsedConsent | undefined> {
  if (consent.usedAt === undefined) return consent
  const { responseType } = requestOf(consent)
  if (responseType !== 'code') return consent
  const issued = await lockCode(deps, tx, consent, ticket)
  if (issued === undefined || issued.expiresAt < deps.clock.now()) throw new ApiError('session_expired')
  return issued.usedAt === undefined ? issued : undefined
}

async function handCode(
  deps: AuthorizeDeps,
  tx: Queries,
  consent: UsedConsent,
  ticket: string,
): Promise<Confirmed | undefined> {
  const code = codeOf(deps, consent, ticket)
  const to = returnOf(consent)
  if (consent.usedAt !== undefined) {
    const waiting = await waitingFor(deps, tx, consent, ticket)
    return waiting === undefined ? { kind: 'done' } : { kind: 'code', to, code }
  }
  if (consent.accountId !== undefined && (await findAccountById(tx, consent.accountId)) === undefined) return undefined
  await insertConsent(tx, deps.keyring, {
    ...consent,
    hash: deps.hasher.hash('code', code),
    kind: 'code',
    expiresAt: deps.clock.now() + TEN_MINUTES_MS,
  })
  await settle(deps, tx, consent, 'yes')
  return { kind: 'code', to, code }
}

async function handToken(
  deps: AuthorizeDeps,
  tx: Queries,
  consent: UsedConsent,
  ticket: string,
): Promise<Confirmed | undefined> {
  const secret = encodeBase32(deps.hasher.hash('token_of_ticket', ticket))
  const to = returnOf(consent)
  const { usedAt, tokenShard: shard, tokenHash: hash } = consent
  if (usedAt === undefined || shard === undefined || hash === undefined) {
    const attached = await applyConsent(deps, tx, consent, 'person', secret)
    return attached && { kind: 'token', to, token: attached.token, account: attached.account.id }
  }
  const account = await findAccountByToken(tx, { shard, hash })
  if (account === undefined) return { kind: 'done' }
  return { kind: 'token', to, token: newAccessToken(shard, usedAt, secret), account: account.id }
}

/** Always the same for one ticket, and no way from the ticket to it without our key. */
function codeOf({ hasher }: AuthorizeDeps, { shard }: UsedConsent, ticket: string): string {
  return newTicket('trc', shard, encodeBase32(hasher.hash('code_of_ticket', ticket)))
}

function lockCode(
  deps: AuthorizeDeps,
  tx: Queries,
  consent: UsedConsent,
  ticket: string,
): Promise<UsedConsent | undefined> {
  return lockConsent(tx, deps.keyring, consent.shard, deps.hasher.hash('code', codeOf(deps, consent, ticket)))
}

async function settle(deps: AuthorizeDeps, tx: Queries, consent: UsedConsent, response: 'yes' | 'no'): Promise<void> {
  const { state, responseType } = requestOf(consent)
  const value: SettledValue = { state, responseType, response }
  await settleConsent(tx, deps.keyring, consent, deps.clock.now(), JSON.stringify(value))
}
