// Ends subscriptions to webhooks at their services, when a profile is erased.

import type { Credential } from '#kit/auth/auth.ts'
import type { Registry } from '#kit/connector/registry.ts'
import type { Profile } from '#model/accounts/profile.ts'
import type { Clock } from '#platform/clock.ts'
import { newId } from '#platform/crypto/ids.ts'
import { type Keyring, SealError } from '#platform/crypto/sealing.ts'
import type { Database, Queries } from '#platform/postgres/database.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { findServiceKey } from '#store/apps/service-keys.ts'
import {
  failSubscription,
  isSharedSubscription,
  leaseEndingSubscriptions,
  listAppSubscriptions,
  listSubscriptions,
  markEnding,
  openEnding,
  removeSubscription,
  type StoredSubscription,
} from '#store/sync/hook-subscriptions.ts'
import { refreshCredential } from '#upstream/renew-credential.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import type { Upstream } from '#upstream/request/send.ts'
import { fromConnector, type HookTarget, hookContext, sendHookRequest } from './hook-call.ts'

export interface EndDeps {
  database: Database
  keyring: Keyring
  clock: Clock
  log: Log
  registry: Registry
  upstream: Upstream
  config: { baseUrl: string }
}

const LEASE_MS = 60_000
const FIRST_RETRY_MS = 60_000
/** Limit: attempts to end a subscription at its service; then it is given up, and its webhooks are ignored. */
const MAX_END_ATTEMPTS = 8

/**
 * Part of erasing a profile: the rows stay, with the sealed credential, until the service is told. Those that the service ends by
 * itself, or that cannot be ended without a credential, are deleted.
 */
export async function scheduleEnd(
  { keyring, registry, clock }: Pick<EndDeps, 'keyring' | 'registry' | 'clock'>,
  tx: Queries,
  profile: Profile,
  credential: Credential | undefined,
): Promise<void> {
  const { shard, appId, service, id: profileId } = profile
  const described = registry.find(service)?.hook?.subscriptions ?? {}
  for (const stored of await listSubscriptions(tx, { shard, appId, service, profileId })) {
    if (credential === undefined || described[stored.name]?.unsubscribe === undefined)
      await removeSubscription(tx, stored)
    else await markEnding(tx, keyring, stored, JSON.stringify(credential), clock.now() + LEASE_MS)
  }
}

/**
 * Tells the service at once, before the credential is revoked. What fails is repeated by a worker. Returns the credential if it had
 * to be refreshed: the one that is to be revoked.
 */
export async function endSubscriptions(deps: EndDeps, profile: Profile): Promise<Credential | undefined> {
  const { shard, appId, service, id: profileId } = profile
  if (deps.registry.find(service)?.hook?.subscriptions === undefined) return undefined
  const nowMs = deps.clock.now()
  const lease = { token: newId(nowMs), untilMs: nowMs + LEASE_MS, nowMs }
  let renewed: Credential | undefined
  for (const stored of await leaseEndingSubscriptions(deps.database, { shard, appId, service, profileId }, lease))
    renewed = (await endSubscription(deps, stored, lease.token, renewed)) ?? renewed
  return renewed
}

/** For the deletion of an app, which revokes the credential before it erases the profile. */
export async function endSubscriptionsNow(
  deps: EndDeps,
  profile: Profile,
  credential: Credential | undefined,
): Promise<Credential | undefined> {
  if (deps.registry.find(profile.service)?.hook?.subscriptions === undefined) return undefined
  await scheduleEnd(deps, deps.database, profile, credential)
  return endSubscriptions(deps, profile)
}

/** Limit: subscriptions of a whole app that are ended when it is deleted; an app has one or two for each service. */
const MAX_APP_SUBSCRIPTIONS = 1000

/** Ends the subscriptions of the app itself, once: its keys are deleted next. */
export async function endAppSubscriptions(deps: EndDeps, appId: string): Promise<void> {
  const rows = await listAppSubscriptions(
    deps.database,
    appId,
    { shard: -1, profileId: '', name: '' },
    MAX_APP_SUBSCRIPTIONS,
  )
  for (const stored of rows.filter(({ profileId }) => profileId === '')) await endSubscription(deps, stored, '')
}

/** Ends one subscription, and deletes its row when nothing is left to do. Returns the credential if it was refreshed. */
export async function endSubscription(
  deps: EndDeps,
  stored: StoredSubscription,
  token: string,
  given?: Credential,
): Promise<Credential | undefined> {
  const connector = deps.registry.find(stored.service)
  const subscription = connector?.hook?.subscriptions?.[stored.name]
  const key = await findServiceKey(deps.database, deps.keyring, stored.appId, stored.service)
  const credential = given ?? storedCredential(deps, stored)
  const mayCall = credential !== undefined || stored.profileId === ''
  if (connector === undefined || subscription === undefined || key === undefined || !mayCall) {
    await removeSubscription(deps.database, stored, token)
    return undefined
  }
  const target = { connector, subscription, key, context: hookContext(deps.config, stored, key) }
  let fresh: Credential | undefined
  try {
    if (!(await isSharedSubscription(deps.database, stored))) {
      fresh = await refreshExpired(deps, target, credential)
      await tellService(deps, target, stored, fresh ?? credential)
    }
    await removeSubscription(deps.database, stored, token)
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    await retryLater(deps, stored, token, error)
  }
  return fresh
}

/** Throws where it is worth another attempt. A refused credential ends the subscription as well: the grant is gone. */
async function tellService(
  deps: EndDeps,
  target: HookTarget,
  { nativeId }: StoredSubscription,
  credential: Credential | undefined,
): Promise<void> {
  const request = fromConnector(() => target.subscription.unsubscribe?.(target.context, nativeId))
  if (request === undefined) return
  const { status } = await sendHookRequest(deps.upstream, target, request, credential)
  if (status === 429 || status === 408 || status >= 500)
    throw new UpstreamError('retry', `The service responded ${status} (subscription).`, {
      reason: 'service_failed',
      status,
    })
}

async function refreshExpired(
  { upstream, clock }: EndDeps,
  { connector, key }: HookTarget,
  credential: Credential | undefined,
): Promise<Credential | undefined> {
  const { expiresAt, refreshToken } = credential ?? {}
  if (credential === undefined || expiresAt === undefined || refreshToken === undefined || expiresAt > clock.now())
    return undefined
  return refreshCredential(upstream, { connector, key, credential })
}

async function retryLater(
  deps: EndDeps,
  stored: StoredSubscription,
  token: string,
  { recovery, reason, message }: UpstreamError,
): Promise<void> {
  const { service, appId, name } = stored
  if (recovery !== 'retry' || stored.attempts + 1 >= MAX_END_ATTEMPTS) {
    deps.log.warn('a subscription could not be ended at its service', { service, app: appId, name, reason })
    await removeSubscription(deps.database, stored, token)
    return
  }
  const dueAt = deps.clock.now() + FIRST_RETRY_MS * 2 ** stored.attempts
  await failSubscription(deps.database, stored, token, { dueAt, reason, error: message.slice(0, 500) })
}

function storedCredential({ keyring, log }: EndDeps, stored: StoredSubscription): Credential | undefined {
  try {
    const text = openEnding(keyring, stored)
    return text === undefined ? undefined : (JSON.parse(text) as Credential)
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    log.error('a credential cannot be opened, so its subscription is not ended', { error })
    return undefined
  }
}
