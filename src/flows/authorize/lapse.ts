import { deleteConsent, type LapsedConsent, lapsedConsents, purgeUsedConsents } from '#store/consents.ts'
import { purgeOpenSignIns } from '#store/open-sign-ins.ts'
import { purgePending } from '#store/pending.ts'
import { findServiceKey } from '#store/service-keys.ts'
import { revokeCredential } from '#upstream/renew-credential.ts'
import { signInOf } from './consent-value.ts'
import type { AuthorizeNeed } from './need.ts'

/** A used code is remembered for a day, so that a late second use is still noticed. */
const USED_KEPT_MS = 24 * 3_600_000

/** Drops what nobody finished, and has the services forget the tokens they gave for it. */
export async function lapseSignIns(need: AuthorizeNeed): Promise<{ pending: number; consents: number }> {
  const now = need.clock.now()
  const pending = await purgePending(need.database, now)
  await purgeUsedConsents(need.database, now - USED_KEPT_MS)
  await purgeOpenSignIns(need.database, now)
  let consents = 0
  for (;;) {
    const lapsed = await need.database.transaction(async (tx) => {
      const found = await lapsedConsents(tx, need.keyring, now)
      for (const consent of found) await deleteConsent(tx, consent)
      return found
    })
    if (lapsed.length === 0) return { pending, consents }
    for (const consent of lapsed) await revokeUnused(need, consent)
    consents += lapsed.length
  }
}

/** As good as it goes: a service that cannot be reached keeps a token that we no longer have. */
export async function revokeUnused(need: AuthorizeNeed, consent: LapsedConsent): Promise<void> {
  const connector = need.registry.find(consent.service)
  const key = await findServiceKey(need.database, need.keyring, consent.appId, consent.service)
  const { value } = consent
  if (connector === undefined || key === undefined || value === undefined) return
  const { signedIn } = signInOf({ value })
  try {
    await revokeCredential(need.upstream, { connector, key, credential: signedIn.credential })
  } catch (error) {
    need.log.warn('a token that was never used could not be revoked', { service: consent.service, error })
  }
}
