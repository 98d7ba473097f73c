import type { Readable } from 'node:stream'
import { acquire } from '#access/acquire.ts'
import { apiErrorOf } from '#access/api-errors.ts'
import { narrowestLimit } from '#access/buckets.ts'
import { costOfPath } from '#kit/connector/call-cost.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { CalledProfile } from '#model/accounts/profile.ts'
import { ApiError } from '#model/errors.ts'
import { type RateLimit, rateLimitHeaders } from '#model/sync/rate-limit.ts'
import type { Hangup } from '#platform/waiting/hangup.ts'
import { createTtlCache, type TtlCache } from '#platform/waiting/ttl-cache.ts'
import { hasOwnServers, ownServerOf } from '#upstream/addresses/own-server.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import { readBody } from './body.ts'
import { type CallLog, createCallLog } from './call-log.ts'
import {
  type Caller,
  type CallFlags,
  DEFAULT_TIMEOUTS,
  type ProxyDeps,
  type ProxyResponse,
  type Target,
} from './deps.ts'
import { requestHeaders } from './headers.ts'
import { openCall } from './open-call.ts'
import { paginate } from './paginate.ts'
import { passThrough } from './pass-through.ts'
import { createTargets, type Targets } from './targets.ts'

/** A call as the app made it. */
export interface ProxyCall {
  /** `service` or `id@service`. */
  profile: string
  /** The address of the proxy for this profile, without a trailing slash: links of the service lead there. */
  proxyUrl: string
  method: string
  /** As in the URL, not decoded. */
  path: string
  /** Without the parameters that are for Tributary. */
  query: string
  headers: NodeJS.Dict<string | string[]>
  /** The caller's token for Tributary, which opens the whole account; absent where something else identifies the caller. */
  accountToken?: string | undefined
  body: Readable
  /** Joins all pages of a listing into one array. */
  paginate: boolean
  /** Called if the request body is streamed instead of buffered. */
  onStreamedBody: () => void
  hangup: Hangup
  /** Called when the profile is found. */
  onProfile: (profile: CalledProfile) => void
  /** Set during the call, so that they are known also if it fails. */
  flags: CallFlags
}

/** Forwards calls to the services' own APIs, with short-lived caches. */
export interface Proxy {
  /** Makes the call with the person's credential and streams the response. */
  forward(caller: Caller, call: ProxyCall): Promise<ProxyResponse>
  logCall: CallLog['add']
  close(): Promise<void>
}

const TOKEN_REFUSED =
  'The access token of the account must not go to the service. Send it in Authorization, or as the query parameter access_token.'
const SHORT_WAIT_MS = 2000
const CAPACITY_TTL_MS = 1000
/** Limit: profiles whose remaining calls the proxy of one process caches; the least recently used is evicted. */
const MAX_CAPACITIES = 10_000

export function createProxy(deps: ProxyDeps): Proxy {
  const targets = createTargets(deps)
  const capacities = createTtlCache<number>(deps.clock, { ttlMs: CAPACITY_TTL_MS, maxEntries: MAX_CAPACITIES })
  const log = createCallLog(deps)
  return {
    forward: (caller, call) =>
      forward(deps, { targets, capacities }, caller, call).catch((error: unknown) => {
        throw error instanceof UpstreamError ? apiErrorOf(error, 'stored') : error
      }),
    logCall: (call) => log.add(call),
    close: async () => {
      targets.clear()
      capacities.clear()
      await log.close()
    },
  }
}

async function forward(
  deps: ProxyDeps,
  { targets, capacities }: { targets: Targets; capacities: TtlCache<number> },
  caller: Caller,
  call: ProxyCall,
): Promise<ProxyResponse> {
  const headers = requestHeaders(call.headers)
  refuseAccountToken(call, headers)
  const found = await targets.find(caller, call.profile)
  const located = hasOwnServers(found.connector) ? await withServer(targets, found) : found
  const target = { ...located, cost: costOfPath(found.connector, call.method, call.path) }
  call.onProfile(target.profile)
  await acquire(deps, target, { purpose: 'person', maxWaitMs: SHORT_WAIT_MS, until: call.hangup }).catch(
    (error: unknown) => {
      throw error instanceof UpstreamError ? limitedBy(target.connector, apiErrorOf(error, 'stored')) : error
    },
  )
  const { idleMs } = deps.timeouts ?? DEFAULT_TIMEOUTS
  const body = await readBody(call.body, call.headers, target.connector.auth.kind === 'oauth1', idleMs)
  if (!body.repeatable) call.onStreamedBody()
  const outgoing = { target, method: call.method, address: call, headers, body, hangup: call.hangup }
  const response = call.paginate
    ? await paginate(deps, targets, outgoing, call)
    : passThrough(target, await openCall(deps, targets, outgoing, call.flags), call.proxyUrl)
  const left = await callsLeft(deps, capacities, target)
  Object.assign(response.headers, tributaryHeaders(call.flags, left))
  // The service's own headers come back untouched.
  if (left !== undefined && response.headers['ratelimit'] === undefined)
    Object.assign(response.headers, rateLimitHeaders([limitOf(target.connector, left)]))
  return response
}

/** An app that puts the token where no service expects it would hand the account to the service. */
function refuseAccountToken(call: ProxyCall, headers: Record<string, string>): void {
  const { accountToken, path, query } = call
  if (accountToken === undefined) return
  const isIn = (text: string) => text.includes(accountToken)
  if (isIn(path) || isIn(query) || Object.values(headers).some(isIn)) throw new ApiError('bad_request', TOKEN_REFUSED)
}

async function withServer(targets: Targets, target: Target): Promise<Target> {
  const { credential } = await targets.prepare(target, 'cached')
  return { ...target, server: ownServerOf(target.connector, credential) }
}

/** Undefined if it cannot be read: the service has executed the call, and an error here must not hide its response. */
async function callsLeft(
  deps: ProxyDeps,
  capacities: TtlCache<number>,
  { profile, connector, server, cost }: Target,
): Promise<number | undefined> {
  const { id, appId } = profile
  try {
    const key = `${id} ${cost?.group ?? ''} ${cost?.isRead}`
    return await capacities.get(key, () => deps.rateLimiter.left(appId, connector, id, server, cost))
  } catch (error) {
    deps.log.warn('the remaining calls could not be read', { service: connector.service, error })
    return undefined
  }
}

function tributaryHeaders(flags: CallFlags, left: number | undefined): Record<string, string> {
  return {
    'x-tributary-refreshed': String(flags.refreshed),
    'x-tributary-retried': String(flags.retried),
    ...(left === undefined ? {} : { 'x-tributary-budget-left': String(left) }),
  }
}

function limitOf(connector: Connector, remaining: number, resetS?: number): RateLimit {
  const { calls, perS } = narrowestLimit(connector)
  return { name: connector.service, quota: calls, windowS: perS, remaining, resetS }
}

function limitedBy(connector: Connector, error: ApiError): ApiError {
  const { reason, message, retryAfterS, cause } = error
  if (retryAfterS === undefined) return error
  const rateLimits = [limitOf(connector, 0, retryAfterS)]
  return new ApiError(reason, message, { retryAfterS, rateLimits, cause })
}
