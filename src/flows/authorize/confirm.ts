import { encodeBase32 } from '#base/ids.ts'
import { newAccessToken, newTicket } from '#model/access-token.ts'
import { ApiError } from '#model/errors.ts'
import { findAccountByToken } from '#store/access-tokens.ts'
import { findAccountById } from '#store/accounts.ts'
import { deleteConsent, insertConsent, lockConsent, settleConsent, type UsedConsent } from '#store/consents.ts'
import type { Queries } from '#store/database.ts'
import { isDeclined, lockAsked, returnOf } from './confirm-ticket.ts'
import { requestOf, type SettledValue } from './consent-value.ts'
import { effect } from './exchange.ts'
import { revokeUnused } from './lapse.ts'
import { type AuthorizeNeed, TEN_MINUTES_MS } from './need.ts'
import type { ReturnTo } from './start.ts'

/** What comes of an answer. `done`: the sign-in has taken effect already, and the app has what it asked for. */
export type Confirmed =
  | { kind: 'code'; to: ReturnTo; code: string }
  | { kind: 'token'; to: ReturnTo; token: string; account: string }
  | { kind: 'declined'; to: ReturnTo }
  | { kind: 'done' }

/** The person pressed “Continue”. Pressing again, at once or after going back, gives the same thing again. */
export async function confirmSignIn(
  need: AuthorizeNeed,
  ticket: string,
  browser: Buffer | undefined,
): Promise<Confirmed> {
  const result = await need.database.transaction(async (tx) => {
    const consent = await lockAsked(need, tx, ticket, browser)
    if (isDeclined(consent)) return undefined
    const { responseType } = requestOf(consent)
    return responseType === 'code' ? handCode(need, tx, consent, ticket) : handToken(need, tx, consent, ticket)
  })
  if (result === undefined) throw new ApiError('session_expired')
  return result
}

/** The person said no: nothing was attached, and the service is told to forget its token. */
export async function declineSignIn(
  need: AuthorizeNeed,
  ticket: string,
  browser: Buffer | undefined,
): Promise<Confirmed> {
  const result = await need.database.transaction(async (tx) => {
    const consent = await lockAsked(need, tx, ticket, browser)
    const answer = { kind: 'declined', to: returnOf(consent) } as const
    if (isDeclined(consent)) return { answer }
    // After a “yes” whose code nobody redeemed yet, what the service gave stands beside the code.
    const held = consent.usedAt === undefined ? consent : await lockCode(need, tx, consent, ticket)
    if (held === undefined || held.usedAt !== undefined) return { answer: { kind: 'done' } as const }
    if (held !== consent) await deleteConsent(tx, held)
    await settle(need, tx, consent, 'no')
    return { answer, held }
  })
  if (result.held !== undefined) await revokeUnused(need, result.held)
  return result.answer
}

/** What the page's ticket leads to: the sign-in that waits, with or without its code; undefined when it took effect. */
export async function waitingFor(
  need: AuthorizeNeed,
  tx: Queries,
  consent: UsedConsent,
  ticket: string,
): Promise<UsedConsent | undefined> {
  if (consent.usedAt === undefined) return consent
  const { responseType } = requestOf(consent)
  if (responseType !== 'code') return consent
  const issued = await lockCode(need, tx, consent, ticket)
  if (issued === undefined || issued.expiresAt < need.clock.now()) throw new ApiError('session_expired')
  return issued.usedAt === undefined ? issued : undefined
}

async function handCode(
  need: AuthorizeNeed,
  tx: Queries,
  consent: UsedConsent,
  ticket: string,
): Promise<Confirmed | undefined> {
  const code = codeOf(need, consent, ticket)
  const to = returnOf(consent)
  if (consent.usedAt !== undefined) {
    const waiting = await waitingFor(need, tx, consent, ticket)
    return waiting === undefined ? { kind: 'done' } : { kind: 'code', to, code }
  }
  if (consent.accountId !== undefined && (await findAccountById(tx, consent.accountId)) === undefined) return undefined
  await insertConsent(tx, need.keyring, {
    ...consent,
    hash: need.hasher.hash('code', code),
    kind: 'code',
    expiresAt: need.clock.now() + TEN_MINUTES_MS,
  })
  await settle(need, tx, consent, 'yes')
  return { kind: 'code', to, code }
}

async function handToken(
  need: AuthorizeNeed,
  tx: Queries,
  consent: UsedConsent,
  ticket: string,
): Promise<Confirmed | undefined> {
  const secret = encodeBase32(need.hasher.hash('token_of_ticket', ticket))
  const to = returnOf(consent)
  const { usedAt, tokenPart: part, tokenHash: hash } = consent
  if (usedAt === undefined || part === undefined || hash === undefined) {
    const attached = await effect(need, tx, consent, 'person', secret)
    return attached && { kind: 'token', to, token: attached.token, account: attached.account.id }
  }
  const account = await findAccountByToken(tx, { part, hash })
  if (account === undefined) return { kind: 'done' }
  return { kind: 'token', to, token: newAccessToken(part, usedAt, secret), account: account.id }
}

/** Always the same for one ticket, and no way from the ticket to it without our key. */
function codeOf({ hasher }: AuthorizeNeed, { part }: UsedConsent, ticket: string): string {
  return newTicket('trc', part, encodeBase32(hasher.hash('code_of_ticket', ticket)))
}

function lockCode(
  need: AuthorizeNeed,
  tx: Queries,
  consent: UsedConsent,
  ticket: string,
): Promise<UsedConsent | undefined> {
  return lockConsent(tx, need.keyring, consent.part, need.hasher.hash('code', codeOf(need, consent, ticket)))
}

async function settle(need: AuthorizeNeed, tx: Queries, consent: UsedConsent, answer: 'yes' | 'no'): Promise<void> {
  const { state, responseType } = requestOf(consent)
  const value: SettledValue = { state, responseType, answer }
  await settleConsent(tx, need.keyring, consent, need.clock.now(), JSON.stringify(value))
}
