import { timingSafeEqual } from 'node:crypto'
import { ticketShard } from '#model/access-token.ts'
import { ApiError } from '#model/errors.ts'
import { SIGN_IN_LOG_REASONS } from '#model/operation.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { lockConsent, type UsedConsent } from '#store/identity/consents.ts'
import { requestOf } from './consent-value.ts'
import type { AuthorizeDeps } from './deps.ts'
import type { ReturnTo } from './start.ts'

/** Locks the consent of a consent page. It must not have expired, and must belong to the browser that signed in. */
export async function lockConsentOfTicket(
  deps: AuthorizeDeps,
  tx: Queries,
  ticket: string,
  browser: Buffer | undefined,
): Promise<UsedConsent> {
  const shard = ticketShard('trf', ticket)
  const consent =
    shard === undefined ? undefined : await lockConsent(tx, deps.keyring, shard, deps.hasher.hash('confirm', ticket))
  const isSameBrowser =
    consent?.browser !== undefined && browser !== undefined && timingSafeEqual(consent.browser, browser)
  if (consent !== undefined)
    deps.trace?.of({ appId: consent.appId, service: consent.service, operation: requestOf(consent).operation })
  if (consent !== undefined && !isSameBrowser)
    deps.trace?.stop('refused', 'other_browser', SIGN_IN_LOG_REASONS.other_browser)
  if (consent === undefined || !isSameBrowser) throw new ApiError('session_expired')
  if (consent.expiresAt < deps.clock.now())
    throw new ApiError(
      'session_expired',
      'This sign-in is over: more than ten minutes have passed since you came back from the service.',
    )
  return consent
}

export function isDeclined(consent: UsedConsent): boolean {
  return requestOf(consent).response === 'no'
}

export function returnOf(consent: UsedConsent): ReturnTo {
  const { state, reconnect, locale, responseType } = requestOf(consent)
  return { redirectUri: consent.redirectUri, state, reconnect, locale, responseType }
}
