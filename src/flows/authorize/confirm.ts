import { timingSafeEqual } from 'node:crypto'
import { ticketPart } from '#model/access-token.ts'
import { ApiError } from '#model/errors.ts'
import { deleteConsent, lockConsent, type UsedConsent } from '#store/consents.ts'
import type { Queries } from '#store/database.ts'
import type { Attached } from './attach.ts'
import type { ConsentValue } from './callback.ts'
import { effect } from './exchange.ts'
import { revokeUnused } from './lapse.ts'
import type { AuthorizeNeed } from './need.ts'
import type { ReturnTo } from './start.ts'

/** The person pressed “Continue”: the token goes back in the fragment. */
export async function confirmSignIn(
  need: AuthorizeNeed,
  ticket: string,
  browser: Buffer | undefined,
): Promise<{ to: ReturnTo; attached: Attached }> {
  const result = await need.database.transaction(async (tx) => {
    const consent = await lockMine(need, tx, ticket, browser)
    const attached = consent && (await effect(need, tx, consent, 'person'))
    return attached && consent && { to: returnOf(consent), attached }
  })
  if (result === undefined) throw new ApiError('session_expired')
  return result
}

/** The person said no: nothing was attached, and the service is told to forget its token. */
export async function declineSignIn(
  need: AuthorizeNeed,
  ticket: string,
  browser: Buffer | undefined,
): Promise<ReturnTo> {
  const consent = await need.database.transaction(async (tx) => {
    const mine = await lockMine(need, tx, ticket, browser)
    if (mine !== undefined) await deleteConsent(tx, mine)
    return mine
  })
  if (consent === undefined) throw new ApiError('session_expired')
  await revokeUnused(need, consent)
  return returnOf(consent)
}

/** Unused, in time, and in the browser that signed in. */
async function lockMine(
  need: AuthorizeNeed,
  tx: Queries,
  ticket: string,
  browser: Buffer | undefined,
): Promise<UsedConsent | undefined> {
  const part = ticketPart('trf', ticket)
  if (part === undefined || browser === undefined) return undefined
  const consent = await lockConsent(tx, need.keyring, part, need.hasher.hash('confirm', ticket))
  if (consent?.browser === undefined || consent.usedAt !== undefined || consent.expiresAt < need.clock.now())
    return undefined
  return timingSafeEqual(consent.browser, browser) ? consent : undefined
}

function returnOf(consent: UsedConsent): ReturnTo {
  const { state } = JSON.parse(consent.value) as ConsentValue
  return { redirectUri: consent.redirectUri, state }
}
