import { defaultQuota, effectiveQuotas } from '#model/apps/quotas.ts'
import { ApiError } from '#model/errors.ts'
import type { RateLimit } from '#model/sync/rate-limit.ts'
import { networkOf } from '#platform/formats/network-of.ts'
import { findAppQuotas } from '#store/apps/apps.ts'
import {
  addOpenSignIn,
  appSubject,
  closeSignIn,
  minuteOf,
  OPEN_SIGN_IN_TTL_MS,
  openSignIn,
  openSignIns,
} from '#store/identity/open-sign-ins.ts'
import { type IdentityDeps, TEN_MINUTES_MS } from './deps.ts'

/** Where an unfinished sign-in is counted; stored with the sign-in. */
export interface CountedSignIn {
  /** Subject of the counter: an IPv4 address, or the /64 network of an IPv6 address. */
  address: string
  minute: number
}

/**
 * Counts a sign-in before anything is stored or sent for it. Refuses it if too many are unfinished, including those
 * whose code was not exchanged yet.
 */
export async function countSignIn(deps: IdentityDeps, appId: string, ip: string): Promise<CountedSignIn> {
  const { database, clock, config } = deps
  const now = clock.now()
  const address = `address ${networkOf(ip)}`
  const { app_sign_ins: perApp } = effectiveQuotas(config, await findAppQuotas(database, appId))
  const perAddress = defaultQuota(config, 'quotaAddressSignIns')
  if (!(await openSignIn(database, address, now, perAddress))) {
    const why = 'Too many sign-ins from your network were begun and not finished.'
    throw await tooManySignIns(deps, address, why, { name: 'sign-ins-of-address', quota: perAddress })
  }
  const counted = { address, minute: minuteOf(now) }
  if (await openSignIn(database, appSubject(appId), now, perApp)) return counted
  await closeSignIn(database, address, counted.minute)
  const why = 'Too many people are signing in to this app right now.'
  throw await tooManySignIns(deps, appSubject(appId), why, { name: 'sign-ins-of-app', quota: perApp })
}

/**
 * Removes a finished or failed sign-in from the counters. A declined one, or one lost in a crash, expires after ten
 * minutes.
 */
export async function uncountSignIn(
  { database, log }: IdentityDeps,
  appId: string,
  counted: CountedSignIn | undefined,
): Promise<void> {
  if (counted === undefined) return
  try {
    for (const subject of [counted.address, appSubject(appId)]) await closeSignIn(database, subject, counted.minute)
  } catch (error) {
    log.warn('a finished sign-in could not be uncounted and stays counted until it expires', { error })
  }
}

/** The code has a lifetime of its own: where it ends after the count, the count begins again at the callback. */
export async function recountSignIn(
  deps: IdentityDeps,
  appId: string,
  counted: CountedSignIn | undefined,
): Promise<CountedSignIn | undefined> {
  if (counted === undefined) return undefined
  const now = deps.clock.now()
  if (now + TEN_MINUTES_MS <= counted.minute + OPEN_SIGN_IN_TTL_MS) return counted
  for (const subject of [counted.address, appSubject(appId)]) await addOpenSignIn(deps.database, subject, now)
  await uncountSignIn(deps, appId, counted)
  return { ...counted, minute: minuteOf(now) }
}

async function tooManySignIns(
  { database, clock }: IdentityDeps,
  subject: string,
  why: string,
  limit: Pick<RateLimit, 'name' | 'quota'>,
): Promise<ApiError> {
  const now = clock.now()
  const { nextExpiresAt = now } = await openSignIns(database, subject, now)
  const retryAfterS = Math.max(1, Math.ceil((nextExpiresAt - now) / 1000))
  const minutes = Math.ceil(retryAfterS / 60)
  const wait = minutes === 1 ? 'in a minute' : `in ${minutes} minutes`
  const rateLimits = [{ ...limit, windowS: OPEN_SIGN_IN_TTL_MS / 1000, remaining: 0, resetS: retryAfterS }]
  return new ApiError('too_many_sign_ins', `${why} Finish one of them, or try again ${wait}.`, {
    retryAfterS,
    rateLimits,
  })
}
