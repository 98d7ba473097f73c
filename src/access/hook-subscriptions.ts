// Requests, renews and ends the subscriptions to webhooks that services need.

import { missingGrant } from '#kit/auth/granted.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { Registry } from '#kit/connector/registry.ts'
import { grantedScopes, type Profile } from '#model/accounts/profile.ts'
import { newId, shardFor } from '#platform/crypto/ids.ts'
import { createSemaphore } from '#platform/waiting/semaphore.ts'
import { findServiceKey } from '#store/apps/service-keys.ts'
import { findProfile } from '#store/identity/profiles.ts'
import { NEVER } from '#store/sync/endpoints.ts'
import {
  activateSubscription,
  failSubscription,
  findDueSubscriptions,
  insertSubscriptions,
  type Lease,
  leaseSubscriptions,
  listSubscriptions,
  removeSubscription,
  requestAgain,
  type StoredSubscription,
} from '#store/sync/hook-subscriptions.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import { type EndDeps, endSubscription } from './end-subscriptions.ts'
import { fromConnector, type HookTarget, hookContext } from './hook-call.ts'
import type { RateLimiter } from './rate-limiter.ts'
import { requestSubscription } from './request-subscription.ts'

export interface HookDeps extends EndDeps {
  registry: Registry
  rateLimiter: RateLimiter
}

/** Longer than the calls for one subscription take. */
const LEASE_MS = 120_000
/** Subscriptions that are worked on in one pass, and at the same time. */
const BATCH = 20
const CONCURRENT = 4
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Limit: shortest time between two renewals of a subscription, whatever its service says. */
const MIN_RENEWAL_MS = MINUTE_MS
/** Limit: characters of a failure's sentence that are stored with a subscription; the rest is cut off. */
const MAX_MESSAGE = 500

/** Subscriptions of an app have no profile, and a shard of their own. */
export function appShard(appId: string, service: string): number {
  return shardFor(`${appId} ${service}`)
}

/** Requests the subscriptions that a profile needs and does not have. Nothing is written for a profile that was erased. */
export async function ensureSubscriptions(
  { database, clock }: Pick<HookDeps, 'database' | 'clock'>,
  connector: Connector,
  profile: Profile,
): Promise<void> {
  const wanted = Object.entries(connector.hook?.subscriptions ?? {})
  for (const ofApp of [false, true]) {
    const names = wanted.filter(([, { of }]) => (of === 'app') === ofApp).map(([name]) => name)
    if (names.length === 0) continue
    const { appId, service } = profile
    const owner = ofApp
      ? { shard: appShard(appId, service), appId, service, profileId: '', person: '' }
      : { shard: profile.shard, appId, service, profileId: profile.id, person: profile.nativeId }
    const known = await listSubscriptions(database, owner)
    const missing = names.filter((name) => !known.some((each) => each.name === name && each.dueAt < NEVER))
    const idle = new Set(known.filter(({ state }) => state === 'active').map(({ name }) => name))
    const requested = missing.filter((name) => !idle.has(name))
    if (requested.length > 0) await database.transaction((tx) => insertSubscriptions(tx, owner, requested, clock.now()))
  }
}

/** For the worker's loop: works on the subscriptions that are due. Returns how many. */
export async function continueSubscriptions(deps: HookDeps): Promise<number> {
  const nowMs = deps.clock.now()
  const lease: Lease = { token: newId(nowMs), untilMs: nowMs + LEASE_MS, nowMs }
  const due = await leaseSubscriptions(deps.database, lease, BATCH)
  const semaphore = createSemaphore(CONCURRENT)
  await Promise.all(due.map((each) => semaphore.run(() => continueOne(deps, each, lease.token))))
  return due.length
}

/** Whether no subscription is due until then, as far as is written now. */
export async function isNoSubscriptionDue({ database }: Pick<HookDeps, 'database'>, untilMs: number): Promise<boolean> {
  return (await findDueSubscriptions(database, untilMs, 1)).length === 0
}

async function continueOne(deps: HookDeps, stored: StoredSubscription, token: string): Promise<void> {
  const connector = deps.registry.find(stored.service)
  const subscription = connector?.hook?.subscriptions?.[stored.name]
  if (connector === undefined || subscription === undefined) {
    // The connector does not need it any more, or is not part of this release.
    await removeSubscription(deps.database, stored, token)
    return
  }
  try {
    const key = await findServiceKey(deps.database, deps.keyring, stored.appId, stored.service)
    if (stored.state === 'ending') await endSubscription(deps, stored, token)
    else if (key === undefined) await postpone(deps, stored, token, HOUR_MS, 'no_service_keys', 'The app has no keys.')
    else await subscribe(deps, stored, token, { connector, subscription, key })
  } catch (error) {
    if (!(error instanceof UpstreamError)) {
      deps.log.error('a subscription to webhooks failed', { service: stored.service, name: stored.name, error })
    }
    await fail(deps, stored, token, error)
  }
}

async function subscribe(
  deps: HookDeps,
  stored: StoredSubscription,
  token: string,
  { connector, subscription, key }: Omit<HookTarget, 'context'>,
): Promise<void> {
  const profile = stored.profileId === '' ? undefined : await findProfile(deps.database, stored.shard, stored.profileId)
  if (stored.profileId !== '' && profile === undefined) {
    await removeSubscription(deps.database, stored, token)
    return
  }
  // The next run of the profile, which needs a grant, asks again.
  if (profile?.state === 'needs_auth' || profile?.state === 'paused') {
    await postpone(deps, stored, token, NEVER, profile.state, 'The profile is not synced.')
    return
  }
  const granted = profile && grantedScopes(profile)
  const target = { connector, subscription, key, context: hookContext(deps.config, stored, key, granted) }
  const missing = missingGrant(connector.auth, subscription.scope, profile)
  if (missing !== undefined) {
    await postpone(deps, stored, token, NEVER, 'scope_missing', `The person did not grant ${missing}.`)
    return
  }
  const id = stored.state === 'active' ? stored.nativeId : undefined
  const renew = id === undefined ? undefined : subscription.renew
  const request = fromConnector(() =>
    renew === undefined || id === undefined ? subscription.subscribe(target.context) : renew(target.context, id),
  )
  if (request === undefined) {
    await postpone(deps, stored, token, HOUR_MS, 'not_configured', 'The keys of the app lack what the service needs.')
    return
  }
  const subscribed = await requestSubscription(deps, target, profile, request, id)
  if (subscribed === 'unknown') {
    await requestAgain(deps.database, stored, token, deps.clock.now())
    return
  }
  const { expiresAt } = subscribed
  const nativeId = subscribed.id ?? id
  const dueAt = renewalAt(deps.clock.now(), expiresAt, subscription.renewEveryS)
  if (await activateSubscription(deps.database, stored, token, { nativeId, expiresAt, dueAt })) return
  // The profile was erased during the call, so nobody else can end it.
  if (profile !== undefined && (await findProfile(deps.database, profile.shard, profile.id)) === undefined)
    await endSubscription(deps, { ...stored, nativeId, state: 'ending' }, token, subscribed.credential)
}

/** After three quarters of its lifetime, so that some attempts are left. */
function renewalAt(nowMs: number, expiresAt: number | undefined, everyS: number | undefined): number {
  const afterMs = expiresAt === undefined ? undefined : (expiresAt - nowMs) * 0.75
  const wanted = Math.min(afterMs ?? NEVER, everyS === undefined ? NEVER : everyS * 1000)
  return wanted >= NEVER ? NEVER : Math.round(nowMs + Math.max(wanted, MIN_RENEWAL_MS))
}

async function postpone(
  deps: HookDeps,
  stored: StoredSubscription,
  token: string,
  waitMs: number,
  reason: string,
  error: string,
): Promise<void> {
  const dueAt = waitMs >= NEVER ? NEVER : deps.clock.now() + waitMs
  await failSubscription(deps.database, stored, token, { dueAt, reason, error })
}

/** Waits longer after each failure. What only the app or its operator can change is tried once a day. */
async function fail(deps: HookDeps, stored: StoredSubscription, token: string, error: unknown): Promise<void> {
  const failure = error instanceof UpstreamError ? error : undefined
  const backoffMs = Math.min(MINUTE_MS * 2 ** Math.min(stored.attempts, 12), DAY_MS)
  const waitMs =
    failure?.recovery === 'reauthorize'
      ? NEVER
      : failure?.recovery === 'stop' || failure?.recovery === 'skip'
        ? DAY_MS
        : Math.max(backoffMs, failure?.retryAfterMs ?? 0)
  const message = failure?.message ?? 'The log has the error.'
  await postpone(deps, stored, token, waitMs, failure?.reason ?? 'internal', message.slice(0, MAX_MESSAGE))
}
