import { purgeAgentGrants } from '#store/identity/agent-grants.ts'
import { purgeApplied } from '#store/identity/applied-tokens.ts'
import { purgeConnectSessions } from '#store/identity/connect-sessions.ts'
import { purgeConnectionsSessions } from '#store/identity/connections-sessions.ts'
import {
  type ExpiredConsent,
  expiredConsents,
  purgeUsedConsents,
  takeExpiredConsent,
} from '#store/identity/consents.ts'
import { purgeGrantRevocations } from '#store/identity/grant-revocations.ts'
import { purgeOpenSignIns } from '#store/identity/open-sign-ins.ts'
import { purgePending } from '#store/identity/pending.ts'
import { purgeReconnectLinks } from '#store/identity/reconnect-links.ts'
import { signedInOf } from './consent-value.ts'
import { type IdentityDeps, TEN_MINUTES_MS } from './deps.ts'
import { revokeUnneeded, type UnneededToken } from './revoke-token.ts'

/** A used code is kept for a day, so that its replay is detected. */
const USED_TTL_MS = 24 * 3_600_000

/** Deletes unfinished sign-ins and revokes their credentials at the services. */
export async function expireSignIns(deps: IdentityDeps): Promise<{ pending: number; consents: number }> {
  const now = deps.clock.now()
  const pending = await purgePending(deps.database, now)
  await purgeUsedConsents(deps.database, now - USED_TTL_MS)
  await purgeOpenSignIns(deps.database, now)
  await purgeApplied(deps.database, now)
  await purgeAgentGrants(deps.database, now - USED_TTL_MS)
  // A sign-in that began in time may still finish.
  await purgeReconnectLinks(deps.database, now - 2 * TEN_MINUTES_MS)
  // Kept for a while, so that a link that was used or has expired is explained.
  await purgeConnectionsSessions(deps.database, now - USED_TTL_MS)
  // Until then the app can ask what became of them.
  await purgeConnectSessions(deps.database, now - USED_TTL_MS)
  // No sign-in that began before is left.
  await purgeGrantRevocations(deps.database, now - TEN_MINUTES_MS)
  let consents = 0
  for (;;) {
    const expired = await expiredConsents(deps.database, now)
    if (expired.length === 0) return { pending, consents }
    for (const key of expired) {
      const consent = await takeExpiredConsent(deps.database, deps.keyring, key, now)
      if (consent === undefined) continue
      await revokeUnused(deps, consent)
      consents += 1
    }
  }
}

/** Ends the token of a sign-in that was never used. Best effort: otherwise it stays valid until it expires. */
export async function revokeUnused(deps: IdentityDeps, consent: ExpiredConsent): Promise<void> {
  const token = unusedTokenOf(consent)
  if (token !== undefined) await revokeUnneeded(deps, token)
}

/** Undefined when the consent cannot be opened, or has no credential. */
export function unusedTokenOf({ appId, service, value }: ExpiredConsent): UnneededToken | undefined {
  const signedIn = value === undefined ? undefined : signedInOf({ value })
  return signedIn && { appId, service, nativeId: signedIn.self.id, credential: signedIn.credential }
}
