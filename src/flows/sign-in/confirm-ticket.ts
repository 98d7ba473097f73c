import { timingSafeEqual } from 'node:crypto'
import { readConsent } from '#identity/consent-value.ts'
import type { IdentityDeps, SignInDeps } from '#identity/deps.ts'
import { ticketShard } from '#model/accounts/access-token.ts'
import { ApiError } from '#model/errors.ts'
import { SIGN_IN_LOG_REASONS } from '#model/operation.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { lockConsent, type UsedConsent } from '#store/identity/consents.ts'
import { type ReturnTo, returnTo } from './return-to.ts'

/** Locks the consent that the person decides about, and logs whose sign-in it is, also when another browser decides. */
export async function lockDecidedConsent(
  deps: SignInDeps,
  tx: Queries,
  ticket: string,
  browser: Buffer | undefined,
): Promise<UsedConsent> {
  const consent = await lockTicket(deps, tx, ticket)
  if (consent !== undefined) {
    deps.trace.of({ appId: consent.appId, service: consent.service, operation: readConsent(consent).request.operation })
    if (!isSameBrowser(consent, browser)) deps.trace.stop('refused', 'other_browser', SIGN_IN_LOG_REASONS.other_browser)
  }
  return requireUsable(deps, consent, browser)
}

/** Locks the consent that a consent page shows. */
export async function lockShownConsent(
  deps: IdentityDeps,
  tx: Queries,
  ticket: string,
  browser: Buffer | undefined,
): Promise<UsedConsent> {
  return requireUsable(deps, await lockTicket(deps, tx, ticket), browser)
}

async function lockTicket(deps: IdentityDeps, tx: Queries, ticket: string): Promise<UsedConsent | undefined> {
  const shard = ticketShard('trf', ticket)
  return shard === undefined ? undefined : lockConsent(tx, deps.keyring, shard, deps.hasher.hash('confirm', ticket))
}

function isSameBrowser(consent: UsedConsent, browser: Buffer | undefined): boolean {
  return consent.browser !== undefined && browser !== undefined && timingSafeEqual(consent.browser, browser)
}

/** It must not have expired, and must belong to the browser that signed in. */
export function requireUsable(
  deps: IdentityDeps,
  consent: UsedConsent | undefined,
  browser: Buffer | undefined,
): UsedConsent {
  if (consent === undefined || !isSameBrowser(consent, browser)) throw new ApiError('session_expired')
  if (consent.expiresAt < deps.clock.now())
    throw new ApiError(
      'session_expired',
      'This sign-in is over: more than ten minutes have passed since you came back from the service.',
    )
  return consent
}

export function isDeclined(consent: UsedConsent): boolean {
  return readConsent(consent).kind === 'declined'
}

export function returnOf(consent: UsedConsent): ReturnTo {
  return returnTo(readConsent(consent).request)
}
