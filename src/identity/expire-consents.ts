import type { Batch } from '#store/delete-in-batches.ts'
import { type ExpiredConsent, expiredConsents, takeExpiredConsent } from '#store/identity/consents.ts'
import { signedInOf, tenantsIn } from './consent-value.ts'
import type { IdentityDeps } from './deps.ts'
import { revokeUnneeded, type UnneededToken } from './revoke-token.ts'

/** Limit: codes of sign-ins that one step of maintenance ends, each with a call of its service; the next step continues. */
const MAX_EXPIRED = 5

/** Deletes some codes that no app exchanged, and revokes their credentials at the services. */
export async function expireConsents(deps: IdentityDeps, nowMs: number): Promise<Batch> {
  const expired = await expiredConsents(deps.database, nowMs, MAX_EXPIRED)
  let done = 0
  for (const key of expired) {
    const consent = await takeExpiredConsent(deps.database, deps.keyring, key, nowMs)
    if (consent === undefined) continue
    await revokeUnused(deps, consent)
    done += 1
  }
  return { done, more: expired.length > 0 }
}

/** Ends the token of a sign-in that was never used. Best effort: otherwise it stays valid until it expires. */
export async function revokeUnused(deps: IdentityDeps, consent: ExpiredConsent): Promise<void> {
  const token = unusedTokenOf(consent)
  if (token !== undefined) await revokeUnneeded(deps, token)
}

/** Undefined when the consent cannot be opened, or has no credential. */
export function unusedTokenOf({ appId, service, value }: ExpiredConsent): UnneededToken | undefined {
  const signedIn = value === undefined ? undefined : signedInOf({ value })
  if (value === undefined || signedIn === undefined) return undefined
  return { appId, service, nativeId: signedIn.self.id, credential: signedIn.credential, tenants: tenantsIn({ value }) }
}
