import { timingSafeEqual } from 'node:crypto'
import { ticketPart } from '#model/access-token.ts'
import { ApiError } from '#model/errors.ts'
import { lockConsent, type UsedConsent } from '#store/consents.ts'
import type { Queries } from '#store/database.ts'
import { requestOf } from './consent-value.ts'
import type { AuthorizeNeed } from './need.ts'
import type { ReturnTo } from './start.ts'

/** The sign-in that a page asks about: in time, and in the browser that signed in. */
export async function lockAsked(
  need: AuthorizeNeed,
  tx: Queries,
  ticket: string,
  browser: Buffer | undefined,
): Promise<UsedConsent> {
  const part = ticketPart('trf', ticket)
  const consent =
    part === undefined ? undefined : await lockConsent(tx, need.keyring, part, need.hasher.hash('confirm', ticket))
  const isMine = consent?.browser !== undefined && browser !== undefined && timingSafeEqual(consent.browser, browser)
  if (consent === undefined || !isMine) throw new ApiError('session_expired')
  if (consent.expiresAt < need.clock.now())
    throw new ApiError(
      'session_expired',
      'This sign-in is over: more than ten minutes have passed since you came back from the service.',
    )
  return consent
}

export function isDeclined(consent: UsedConsent): boolean {
  return requestOf(consent).answer === 'no'
}

export function returnOf(consent: UsedConsent): ReturnTo {
  return { redirectUri: consent.redirectUri, state: requestOf(consent).state }
}
