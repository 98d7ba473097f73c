import { createHash, timingSafeEqual } from 'node:crypto'
import { ticketShard } from '#model/access-token.ts'
import type { App } from '#model/app.ts'
import { ApiError } from '#model/errors.ts'
import { writeAudit } from '#store/audit.ts'
import { revokeAccessToken } from '#store/identity/access-tokens.ts'
import { lockConsent, type UsedConsent, useConsent } from '#store/identity/consents.ts'
import { type Attached, attach } from './attach.ts'
import { signInOf } from './consent-value.ts'
import type { AuthorizeDeps } from './deps.ts'
import { endCounted } from './open-sign-ins.ts'

export interface Redemption {
  code: string
  redirectUri?: string | undefined
  codeVerifier?: string | undefined
}

/**
 * The moment a sign-in takes effect. One transaction takes the code and gives the token; a second use is refused and
 * takes back what the first one gave. Every refusal reads the same.
 */
export async function redeemCode(deps: AuthorizeDeps, app: App, redemption: Redemption): Promise<Attached> {
  const shard = ticketShard('trc', redemption.code)
  if (shard === undefined) throw new ApiError('code_invalid')
  const hash = deps.hasher.hash('code', redemption.code)
  const attached = await deps.database.transaction(async (tx) => {
    const consent = await lockConsent(tx, deps.keyring, shard, hash)
    if (consent === undefined || consent.appId !== app.id) return undefined
    if (consent.usedAt !== undefined) {
      await revokeIssuedToken(deps, tx, consent)
      return undefined
    }
    if (consent.expiresAt < deps.clock.now() || !fits(consent, redemption)) return undefined
    return applyConsent(deps, tx, consent, `app:${app.id}`)
  })
  if (attached === undefined) throw new ApiError('code_invalid')
  return attached
}

/** What both ways of finishing share: the consent is used, and the profile joins its account. */
export async function applyConsent(
  deps: AuthorizeDeps,
  tx: Parameters<typeof attach>[1],
  consent: UsedConsent,
  actor: string,
  tokenSecret?: string,
): Promise<Attached | undefined> {
  const { signedIn, counted } = signInOf(consent)
  const attached = await attach(deps, tx, {
    appId: consent.appId,
    service: consent.service,
    signedIn,
    actor,
    account: consent.accountId === undefined ? { how: 'found' } : { how: 'given', id: consent.accountId },
    shard: consent.shard,
    tokenSecret,
  })
  if (attached === undefined) return undefined
  await useConsent(tx, consent, attached.issuedAt, { hash: attached.tokenHash, shard: attached.account.shard })
  // Not waited for: it takes a connection of its own, and this transaction holds one.
  void endCounted(deps, consent.appId, counted)
  return attached
}

async function revokeIssuedToken(
  deps: AuthorizeDeps,
  tx: Parameters<typeof attach>[1],
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

/** The redirect address when the app repeats it, and the PKCE verifier exactly when a challenge was given. */
function fits(consent: UsedConsent, { redirectUri, codeVerifier }: Redemption): boolean {
  if (redirectUri !== undefined && redirectUri !== consent.redirectUri) return false
  if (consent.codeChallenge === undefined) return codeVerifier === undefined
  if (codeVerifier === undefined || !/^[\w.~-]{43,128}$/.test(codeVerifier)) return false
  const digest = createHash('sha256').update(codeVerifier).digest('base64url')
  return timingSafeEqual(Buffer.from(digest), Buffer.from(consent.codeChallenge))
}
