import { findServiceKey } from '#store/apps/service-keys.ts'
import { deleteConsent, type ExpiredConsent, expiredConsents, purgeUsedConsents } from '#store/identity/consents.ts'
import { purgeOpenSignIns } from '#store/identity/open-sign-ins.ts'
import { purgePending } from '#store/identity/pending.ts'
import { revokeCredential } from '#upstream/renew-credential.ts'
import { signInOf } from './consent-value.ts'
import type { AuthorizeDeps } from './deps.ts'

/** A used code is kept for a day, so that its replay is detected. */
const USED_TTL_MS = 24 * 3_600_000

/** Deletes unfinished sign-ins and revokes their credentials at the services. */
export async function expireSignIns(deps: AuthorizeDeps): Promise<{ pending: number; consents: number }> {
  const now = deps.clock.now()
  const pending = await purgePending(deps.database, now)
  await purgeUsedConsents(deps.database, now - USED_TTL_MS)
  await purgeOpenSignIns(deps.database, now)
  let consents = 0
  for (;;) {
    const expired = await deps.database.transaction(async (tx) => {
      const found = await expiredConsents(tx, deps.keyring, now)
      for (const consent of found) await deleteConsent(tx, consent)
      return found
    })
    if (expired.length === 0) return { pending, consents }
    for (const consent of expired) await revokeUnused(deps, consent)
    consents += expired.length
  }
}

/** Best effort: at a service that cannot be reached, the token stays valid until it expires. */
export async function revokeUnused(deps: AuthorizeDeps, consent: ExpiredConsent): Promise<void> {
  const connector = deps.registry.find(consent.service)
  const key = await findServiceKey(deps.database, deps.keyring, consent.appId, consent.service)
  const { value } = consent
  if (connector === undefined || key === undefined || value === undefined) return
  const { signedIn } = signInOf({ value })
  try {
    await revokeCredential(deps.upstream, { connector, key, credential: signedIn.credential })
  } catch (error) {
    deps.log.warn('a token that was never used could not be revoked', { service: consent.service, error })
  }
}
