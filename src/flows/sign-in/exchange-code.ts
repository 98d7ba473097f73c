import { createHash, timingSafeEqual } from 'node:crypto'
import { type ConnectedProfile, connectProfile } from '#identity/connect-profile.ts'
import { readConsent } from '#identity/consent-value.ts'
import type { IdentityDeps, SignInDeps } from '#identity/deps.ts'
import { uncountSignIn } from '#identity/open-sign-ins.ts'
import { revokeReplaced } from '#identity/revoke-token.ts'
import { ticketShard } from '#model/accounts/access-token.ts'
import type { App } from '#model/apps/app.ts'
import { ApiError } from '#model/errors.ts'
import { SIGN_IN_LOG_REASONS } from '#model/operation.ts'
import { writeAudit } from '#store/audit.ts'
import { revokeAccessToken } from '#store/identity/access-tokens.ts'
import { finishConnectSession } from '#store/identity/connect-sessions.ts'
import { lockConsent, type UsedConsent, useConsent } from '#store/identity/consents.ts'

export interface CodeExchange {
  code: string
  redirectUri?: string | undefined
  codeVerifier?: string | undefined
  /** The app proved its secret; otherwise only PKCE proves that it started the sign-in. */
  isAuthenticated: boolean
}

/**
 * Exchanges an authorization code for an access token, in one transaction. A second use of the code is refused and
 * revokes the token of the first. Every refusal has the same reason and message.
 */
export async function exchangeCode(deps: SignInDeps, app: App, exchange: CodeExchange): Promise<ConnectedProfile> {
  deps.trace.of({ appId: app.id })
  const connected = await tryExchange(deps, app, exchange)
  if (typeof connected !== 'string') return connected
  // The app does not learn which: that would help somebody who guesses codes. Its developer reads it in the log.
  deps.trace.stop('refused', connected, SIGN_IN_LOG_REASONS[connected])
  throw new ApiError('code_invalid', undefined, { param: 'code' })
}

type CodeRefusal = 'code_unknown' | 'code_replayed' | 'code_expired' | 'redirect_mismatch' | 'verifier_mismatch'

async function tryExchange(
  deps: SignInDeps,
  app: App,
  exchange: CodeExchange,
): Promise<ConnectedProfile | CodeRefusal> {
  const shard = ticketShard('trc', exchange.code)
  if (shard === undefined) return 'code_unknown'
  const hash = deps.hasher.hash('code', exchange.code)
  const connected = await deps.database.transaction(async (tx) => {
    const consent = await lockConsent(tx, deps.keyring, shard, hash)
    if (consent === undefined || consent.appId !== app.id) return 'code_unknown'
    deps.trace.of({ appId: app.id, service: consent.service, operation: readConsent(consent).request.operation })
    if (consent.usedAt !== undefined) {
      await revokeIssuedToken(deps, tx, consent)
      return 'code_replayed'
    }
    if (consent.expiresAt < deps.clock.now()) return 'code_expired'
    return mismatchOf(consent, exchange) ?? (await applyConsent(deps, tx, consent, `app:${app.id}`)) ?? 'code_unknown'
  })
  if (typeof connected === 'string') return connected
  logConnected(deps, connected)
  if (connected.replaced !== undefined) revokeReplaced(deps, connected.replaced)
  return connected
}

/** Marks the consent as used and connects its profile; shared by the code and the token flow. */
export async function applyConsent(
  deps: IdentityDeps,
  tx: Parameters<typeof connectProfile>[1],
  consent: UsedConsent,
  actor: string,
  tokenSecret?: string,
): Promise<ConnectedProfile | undefined> {
  const value = readConsent(consent)
  if (value.kind !== 'signed-in') return undefined
  const { request, signedIn, counted } = value
  const connected = await connectProfile(deps, tx, {
    appId: consent.appId,
    service: consent.service,
    signedIn,
    actor,
    account: consent.accountId === undefined ? { how: 'found' } : { how: 'given', id: consent.accountId },
    shard: consent.shard,
    tokenSecret,
  })
  if (connected === undefined) return undefined
  if (request.began === 'session') {
    const { service, id: profileId } = connected.profile
    const isDone = await finishConnectSession(tx, request.session, { service, profileId }, connected.issuedAt)
    // Revoked meanwhile: the transaction undoes the connection.
    if (!isDone) throw new ApiError('code_invalid', undefined, { param: 'code' })
  }
  await useConsent(tx, consent, connected.issuedAt, { hash: connected.tokenHash, shard: connected.account.shard })
  // Not awaited: it needs a second connection, and this transaction holds one.
  void uncountSignIn(deps, consent.appId, counted)
  return connected
}

async function revokeIssuedToken(
  deps: IdentityDeps,
  tx: Parameters<typeof connectProfile>[1],
  consent: UsedConsent,
): Promise<void> {
  if (consent.tokenHash === undefined || consent.tokenShard === undefined) return
  const revoked = await revokeAccessToken(tx, consent.tokenShard, consent.tokenHash, deps.clock.now())
  if (!revoked) return
  deps.log.warn('a code was used twice; its token is revoked', { app: consent.appId, service: consent.service })
  await writeAudit(tx, {
    shard: consent.shard,
    at: deps.clock.now(),
    actor: `app:${consent.appId}`,
    action: 'code.replayed',
    appId: consent.appId,
    detail: { service: consent.service },
  })
}

/** Compares the redirect address, if given, and requires a PKCE verifier exactly if there was a challenge. */
function mismatchOf(consent: UsedConsent, exchange: CodeExchange): CodeRefusal | undefined {
  const { redirectUri } = exchange
  if (redirectUri !== undefined && redirectUri !== consent.redirectUri) return 'redirect_mismatch'
  return matchesChallenge(consent, exchange) ? undefined : 'verifier_mismatch'
}

function matchesChallenge({ codeChallenge }: UsedConsent, { codeVerifier, isAuthenticated }: CodeExchange): boolean {
  if (codeChallenge === undefined) return isAuthenticated && codeVerifier === undefined
  if (codeVerifier === undefined || !/^[\w.~-]{43,128}$/.test(codeVerifier)) return false
  const digest = createHash('sha256').update(codeVerifier).digest('base64url')
  return timingSafeEqual(Buffer.from(digest), Buffer.from(codeChallenge))
}

/** The end of a sign-in in the log. */
export function logConnected({ trace }: SignInDeps, { account, profile }: ConnectedProfile): void {
  trace.of({ appId: account.appId, service: profile.service, accountId: account.id, profileId: profile.id })
  trace.done('The profile is connected.')
}
