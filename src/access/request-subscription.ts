// Sends one request for a subscription and reads what the service says about it.

import type { Credential } from '#kit/auth/auth.ts'
import { lacksScope } from '#kit/auth/granted.ts'
import type { HookRequest, Subscribed } from '#kit/hooks/hook-life-cycle.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import { responseFailure } from '#upstream/request/response-failure.ts'
import type { UpstreamResponse } from '#upstream/request/send.ts'
import { acquire } from './acquire.ts'
import { type FreshDeps, freshCredential } from './fresh-credential.ts'
import { fromConnector, type HookTarget, parsedBody, sendHookRequest } from './hook-call.ts'
import { learnLimits, type ResponseRecovery } from './learn-limits.ts'
import type { RateLimiter } from './rate-limiter.ts'

type RequestDeps = FreshDeps & { rateLimiter: RateLimiter }

/** Limit: longest wait for a call about a subscription; for a longer one it is postponed. */
const MAX_WAIT_MS = 2000

export type Result = (Subscribed & { credential: Credential | undefined }) | 'unknown'

/**
 * Requests or renews a subscription. One that exists already, because its response was lost, is found instead of requested twice.
 * `unknown`: the service does not know the subscription that was to be renewed.
 */
export async function requestSubscription(
  deps: RequestDeps,
  target: HookTarget,
  profile: Profile | undefined,
  request: HookRequest,
  renewedId: string | undefined,
): Promise<Result> {
  const { subscription } = target
  const { response, credential } = await send(deps, target, profile, request)
  const { status, headers } = response
  const shown = { status, headers, body: parsedBody(response.text) }
  const recovery = fromConnector(() => target.connector.api.recovery?.(shown))
  const isOk = status >= 200 && status < 300 && recovery === undefined
  if (isOk) return { ...fromConnector(() => subscription.read?.(shown)), credential }
  if (renewedId !== undefined && (status === 404 || status === 410)) return 'unknown'
  if (fromConnector(() => subscription.isDuplicate?.(shown) ?? status === 409))
    return { ...(await findExisting(deps, target, profile)), credential }
  throw failureOf(deps, target, { response, credential }, recovery)
}

async function findExisting(deps: RequestDeps, target: HookTarget, profile: Profile | undefined): Promise<Subscribed> {
  const { find } = target.subscription
  if (find === undefined) return {}
  const sent = await send(
    deps,
    target,
    profile,
    fromConnector(() => find.request(target.context)),
  )
  const { response } = sent
  if (response.status < 200 || response.status >= 300) throw failureOf(deps, target, sent, undefined)
  return fromConnector(() => find.read(parsedBody(response.text), target.context)) ?? {}
}

interface Sent {
  response: UpstreamResponse
  credential: Credential | undefined
}

/** Within the rate limits; once more with a fresh credential if the service refuses it. */
async function send(
  deps: RequestDeps,
  target: HookTarget,
  profile: Profile | undefined,
  request: HookRequest,
): Promise<Sent> {
  if (profile === undefined)
    return { response: await sendHookRequest(deps.upstream, target, request, undefined), credential: undefined }
  const { connector, key } = target
  const call = { profile, connector, server: undefined }
  let refused: number | undefined
  for (;;) {
    const until = { signal: AbortSignal.timeout(MAX_WAIT_MS) }
    await acquire(deps, call, { purpose: 'sync', maxWaitMs: MAX_WAIT_MS, until })
    const { credential, version } = await freshCredential(deps, { profile, connector, key }, refused)
    const response = await sendHookRequest(deps.upstream, target, request, credential)
    const { status, headers } = response
    await learnLimits(deps, call, { status, headers, recovery: undefined })
    if (status !== 401 || refused !== undefined) return { response, credential }
    refused = version
  }
}

/** The sentence is stored and shown to operators, so it has none of the secrets that the service may repeat. */
function failureOf(
  deps: RequestDeps,
  { key, context }: HookTarget,
  { response, credential }: Sent,
  recovery: ResponseRecovery,
): UpstreamError {
  const refused = response.status === 401 ? 'reauthorize' : 'stop'
  const ofPerson = [credential?.token, credential?.tokenSecret, credential?.refreshToken]
  const secrets = [key.secret, key.hookSecret, context.token, ...ofPerson]
  const failure = responseFailure(response, { what: 'subscription', nowMs: deps.clock.now(), refused, secrets })
  const { reason, status, retryAfterMs } = failure
  if (recovery === 'not_granted' || (recovery === undefined && lacksScope(response)))
    return new UpstreamError('skip', failure.message, { reason: 'scope_missing', status })
  const next = recovery === 'pause_app' || recovery === 'pause_person' ? 'retry' : recovery
  return new UpstreamError(next ?? failure.recovery, failure.message, { reason, status, retryAfterMs })
}
