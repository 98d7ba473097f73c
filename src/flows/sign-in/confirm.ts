import { type ConsentValue, readConsent, writeConsent } from '#identity/consent-value.ts'
import { type IdentityDeps, type SignInDeps, TEN_MINUTES_MS } from '#identity/deps.ts'
import { revokeUnused } from '#identity/expire-consents.ts'
import { uncountSignIn } from '#identity/open-sign-ins.ts'
import type { RequestOfReconnect } from '#identity/pending-value.ts'
import { applyReconnect } from '#identity/reconnect.ts'
import { revokeReplaced, type UnneededToken } from '#identity/revoke-token.ts'
import { newAccessToken, newTicket } from '#model/accounts/access-token.ts'
import { ApiError } from '#model/errors.ts'
import { encodeBase32 } from '#platform/crypto/ids.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { findAccountByToken } from '#store/identity/access-tokens.ts'
import { findAccountById } from '#store/identity/accounts.ts'
import { deleteConsent, insertConsent, lockConsent, settleConsent, type UsedConsent } from '#store/identity/consents.ts'
import { isDeclined, lockDecidedConsent, returnOf } from './confirm-ticket.ts'
import { applyConsent, logConnected } from './exchange-code.ts'
import type { OutcomeOf } from './outcome.ts'

/** A person may decide again while the app has not used what it got. */
type DecidedOutcome = OutcomeOf<'confirming' | 'coded' | 'issued'>

/** The person pressed “Continue”. Pressing it again returns the same code or token. */
export async function confirmSignIn(
  deps: SignInDeps,
  ticket: string,
  browser: Buffer | undefined,
): Promise<DecidedOutcome> {
  let replaced: UnneededToken | undefined
  const result = await deps.database.transaction(async (tx) => {
    const consent = await lockDecidedConsent(deps, tx, ticket, browser)
    const value = readConsent(consent)
    if (value.kind === 'declined') return undefined
    const { request } = value
    if (request.began !== 'reconnect' && request.responseType === 'code') return issueCode(deps, tx, consent, ticket)
    const issued =
      request.began === 'reconnect'
        ? await confirmReconnect(deps, tx, consent, { ...value, request })
        : await issueToken(deps, tx, consent, ticket)
    replaced = issued?.replaced
    return issued?.result
  })
  if (result === undefined) throw new ApiError('session_expired')
  if (replaced !== undefined) revokeReplaced(deps, replaced)
  return result
}

/** The person declined: no profile is connected, and the service's token is revoked. */
export async function declineSignIn(
  deps: SignInDeps,
  ticket: string,
  browser: Buffer | undefined,
): Promise<DecidedOutcome> {
  const result = await deps.database.transaction(async (tx) => {
    const consent = await lockDecidedConsent(deps, tx, ticket, browser)
    const response = { kind: 'declined', to: returnOf(consent) } as const
    if (isDeclined(consent)) return { response }
    // After a “yes” whose code was not exchanged yet, the credential is in the code's consent.
    const unused = consent.usedAt === undefined ? consent : await lockCode(deps, tx, consent, ticket)
    if (unused === undefined || unused.usedAt !== undefined)
      return { response: { kind: 'exchanged', to: returnOf(consent) } as const }
    if (unused !== consent) await deleteConsent(tx, unused)
    await recordDecision(deps, tx, consent, 'declined')
    return { response, unused }
  })
  if (result.unused !== undefined) {
    deps.trace.stop('refused', 'access_denied', 'The person declined on our page.')
    await revokeUnused(deps, result.unused)
  }
  return result.response
}

/** The consent with the credential: that of the ticket, or of the code issued for it. Undefined if it was used. */
export async function findUnusedConsent(
  deps: IdentityDeps,
  tx: Queries,
  consent: UsedConsent,
  ticket: string,
): Promise<UsedConsent | undefined> {
  if (consent.usedAt === undefined) return consent
  const { request } = readConsent(consent)
  if (request.began === 'reconnect') return undefined
  if (request.responseType !== 'code') return consent
  const issued = await lockCode(deps, tx, consent, ticket)
  if (issued === undefined || issued.expiresAt < deps.clock.now()) throw new ApiError('session_expired')
  return issued.usedAt === undefined ? issued : undefined
}

/** Repeating it returns the same result. */
async function confirmReconnect(
  deps: SignInDeps,
  tx: Queries,
  consent: UsedConsent,
  value: Exclude<ConsentValue, { kind: 'declined' }> & { request: RequestOfReconnect },
): Promise<{ result: DecidedOutcome; replaced?: UnneededToken | undefined } | undefined> {
  const { reconnect } = value.request
  const result = { kind: 'reconnected', to: returnOf(consent), account: reconnect.account } as const
  if (value.kind !== 'signed-in') return { result }
  const { signedIn, counted } = value
  const { appId, service } = consent
  const reconnected = await applyReconnect(deps, tx, { appId, service, signedIn, reconnect })
  if (reconnected === undefined) return undefined
  await recordDecision(deps, tx, consent, 'confirmed')
  const { profile } = reconnected
  deps.trace.of({ appId, accountId: profile.accountId, profileId: profile.id })
  deps.trace.done('The profile is connected again.')
  // Not awaited: it needs a second connection, and this transaction holds one.
  void uncountSignIn(deps, appId, counted)
  return { result, replaced: reconnected.replaced }
}

async function issueCode(
  deps: SignInDeps,
  tx: Queries,
  consent: UsedConsent,
  ticket: string,
): Promise<DecidedOutcome | undefined> {
  const code = codeOf(deps, consent, ticket)
  const to = returnOf(consent)
  if (consent.usedAt !== undefined) {
    const unused = await findUnusedConsent(deps, tx, consent, ticket)
    return unused === undefined ? { kind: 'exchanged', to } : { kind: 'coded', to, code }
  }
  if (consent.accountId !== undefined && (await findAccountById(tx, consent.accountId)) === undefined) return undefined
  await insertConsent(tx, deps.keyring, {
    ...consent,
    hash: deps.hasher.hash('code', code),
    kind: 'code',
    expiresAt: deps.clock.now() + TEN_MINUTES_MS,
  })
  await recordDecision(deps, tx, consent, 'confirmed')
  deps.trace.awaits(
    'The person confirmed; the app got a code and has not exchanged it.',
    'code_unused',
    deps.clock.now() + TEN_MINUTES_MS,
  )
  return { kind: 'coded', to, code }
}

async function issueToken(
  deps: SignInDeps,
  tx: Queries,
  consent: UsedConsent,
  ticket: string,
): Promise<{ result: DecidedOutcome; replaced?: UnneededToken | undefined } | undefined> {
  const secret = encodeBase32(deps.hasher.hash('token_of_ticket', ticket))
  const to = returnOf(consent)
  const { usedAt, tokenShard: shard, tokenHash: hash } = consent
  if (usedAt === undefined || shard === undefined || hash === undefined) {
    const connected = await applyConsent(deps, tx, consent, 'person', secret)
    if (connected === undefined) return undefined
    logConnected(deps, connected)
    const { token, account, replaced } = connected
    return { result: { kind: 'issued', to, token, account: account.id }, replaced }
  }
  const account = await findAccountByToken(tx, { shard, hash })
  if (account === undefined) return { result: { kind: 'exchanged', to } }
  return { result: { kind: 'issued', to, token: newAccessToken(shard, usedAt, secret), account: account.id } }
}

/** Derived from the ticket, so that it is always the same; without our key it cannot be computed. */
function codeOf({ hasher }: IdentityDeps, { shard }: UsedConsent, ticket: string): string {
  return newTicket('trc', shard, encodeBase32(hasher.hash('code_of_ticket', ticket)))
}

function lockCode(
  deps: IdentityDeps,
  tx: Queries,
  consent: UsedConsent,
  ticket: string,
): Promise<UsedConsent | undefined> {
  return lockConsent(tx, deps.keyring, consent.shard, deps.hasher.hash('code', codeOf(deps, consent, ticket)))
}

async function recordDecision(
  deps: IdentityDeps,
  tx: Queries,
  consent: UsedConsent,
  decision: 'confirmed' | 'declined',
): Promise<void> {
  const value = writeConsent({ kind: decision, request: readConsent(consent).request })
  await settleConsent(tx, deps.keyring, consent, deps.clock.now(), value)
}
