import type { Readable } from 'node:stream'
import { acquire } from '#access/acquire.ts'
import { apiErrorOf } from '#access/api-errors.ts'
import { narrowestLimit } from '#access/buckets.ts'
import { costOfPath } from '#kit/connector/call-cost.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { CalledProfile } from '#model/accounts/profile.ts'
import { parseProfileName } from '#model/accounts/profile-name.ts'
import { ApiError } from '#model/errors.ts'
import { type RateLimit, rateLimitHeaders } from '#model/sync/rate-limit.ts'
import type { Hangup } from '#platform/waiting/hangup.ts'
import { createTtlCache, type TtlCache } from '#platform/waiting/ttl-cache.ts'
import { hasOwnServers, ownServerOf } from '#upstream/addresses/own-server.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import { calledAtOrigin } from './at-origin.ts'
import { isBodiless, NO_BODY, readBody, signedBodyOf } from './body.ts'
import { type CallLog, createCallLog } from './call-log.ts'
import {
  type Caller,
  type CallFlags,
  DEFAULT_TIMEOUTS,
  type ProxyDeps,
  type ProxyResponse,
  type Target,
} from './deps.ts'
import { limitedPath } from './full-address.ts'
import { requestHeaders } from './headers.ts'
import type { IsOurs, TokenPlace } from './lead-back.ts'
import { linksOfCall, requestHeadersForLinks } from './lead-body-back.ts'
import { openCall } from './open-call.ts'
import { paginate } from './paginate.ts'
import { passThrough } from './pass-through.ts'
import { refusalIn, refuseToken } from './refuse-token.ts'
import { createTargets, type Targets } from './targets.ts'
import { refuseOtherCall, refuseOtherProfile } from './token-limits.ts'

/** A call as the app made it. */
export interface ProxyCall {
  /** `service` or `id@service`. */
  profile: string
  /**
   * The address that was called, without a trailing slash: that of the proxy for this profile, or the origin of the service. Links of
   * the service lead there.
   */
  proxyUrl: string
  /** `proxyUrl` stands for the service's own origin: paths are those there, and not below the address of its API. */
  isAtOrigin?: boolean
  method: string
  /** As in the URL, not decoded. */
  path: string
  /** Without the parameters that are for Tributary. */
  query: string
  headers: NodeJS.Dict<string | string[]>
  /** The caller's token for Tributary, which opens the whole account; absent where something else identifies the caller. */
  accountToken?: string | undefined
  /** Where that was, if not in `Authorization`. */
  tokenIn?: TokenPlace | undefined
  /** A redirect of the service to such an address is left out. */
  isOurs?: IsOurs | undefined
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
        throw refusalIn(error) ?? (error instanceof UpstreamError ? apiErrorOf(error, 'stored') : error)
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
  given: ProxyCall,
): Promise<ProxyResponse> {
  const headers = requestHeaders(given.headers)
  const withoutToken = refuseToken(given, headers)
  const { proxyToken } = caller.account
  if (proxyToken !== undefined)
    refuseOtherProfile(caller, parseProfileName(deps.registry, given.profile), deps.clock.now())
  // A promise for each step would cost a fifth of a call whose caller is known.
  const found = targets.findCached(caller, given.profile) ?? (await targets.find(caller, given.profile))
  const ready = needsAddress(found, given) ? await targets.prepare(found, 'cached') : undefined
  const call = given.isAtOrigin ? calledAtOrigin(given, found.connector, ready?.apiUrl) : given
  if (proxyToken !== undefined) refuseOtherCall(proxyToken, call, found.connector.api)
  const server = ready && ownServerOf(found.connector, ready.credential)
  const counted = limitedPath(call.path, found.connector.api.baseUrl)
  const target = { ...found, server, cost: costOfPath(found.connector, call.method, counted) }
  call.onProfile(target.profile)
  const { appId, id } = target.profile
  if (!deps.rateLimiter.takeHeld(appId, target.connector, id, server, target.cost))
    await acquireCall(deps, target, call.hangup)
  const { idleMs } = deps.timeouts ?? DEFAULT_TIMEOUTS
  const read = isBodiless(call.headers)
    ? NO_BODY
    : await readBody(call.body, call.headers, signedBodyOf(target.connector.auth), idleMs)
  const body = read.content === undefined ? read : await withoutToken(read)
  if (!body.repeatable) call.onStreamedBody()
  const wanted = linksOfCall(target, given.headers) === undefined ? headers : requestHeadersForLinks(headers)
  // The service chooses where a redirect and a next page lead.
  const refuseOtherPath =
    proxyToken?.paths && ((path: string) => refuseOtherCall(proxyToken, { ...call, path }, found.connector.api))
  const { method, hangup } = call
  const outgoing = { target, method, address: call, headers: wanted, body, hangup, refuseOtherPath }
  const response = call.paginate
    ? await paginate(deps, targets, outgoing, call)
    : await passThrough(target, await openCall(deps, targets, outgoing, call.flags), call)
  const left = capacities.loaded(capacityKey(target)) ?? (await callsLeft(deps, capacities, target))
  addTributaryHeaders(response.headers, call.flags, left)
  // The service's own headers come back untouched.
  if (left !== undefined && response.headers['ratelimit'] === undefined)
    Object.assign(response.headers, rateLimitHeaders([limitOf(target.connector, left)]))
  return response
}

async function acquireCall(deps: ProxyDeps, target: Target, until: Hangup): Promise<void> {
  try {
    await acquire(deps, target, { purpose: 'person', maxWaitMs: SHORT_WAIT_MS, until })
  } catch (error) {
    throw error instanceof UpstreamError ? limitedBy(target.connector, apiErrorOf(error, 'stored')) : error
  }
}

/** Whether the call depends on where the API of this profile is. */
function needsAddress({ connector, key }: Target, { isAtOrigin }: ProxyCall): boolean {
  const isMoved = Object.keys(key.overrides).length > 0 || connector.api.baseUrlFrom !== undefined
  return hasOwnServers(connector) || (isAtOrigin === true && isMoved)
}

/** Undefined if it cannot be read: the service has executed the call, and an error here must not hide its response. */
async function callsLeft(deps: ProxyDeps, capacities: TtlCache<number>, target: Target): Promise<number | undefined> {
  const { profile, connector, server, cost } = target
  const { id, appId } = profile
  try {
    return await capacities.get(capacityKey(target), () => deps.rateLimiter.left(appId, connector, id, server, cost))
  } catch (error) {
    deps.log.warn('the remaining calls could not be read', { service: connector.service, error })
    return undefined
  }
}

function capacityKey({ profile, cost }: Target): string {
  return `${profile.id} ${cost?.group ?? ''} ${cost?.isRead}`
}

function addTributaryHeaders(headers: ProxyResponse['headers'], flags: CallFlags, left: number | undefined): void {
  headers['x-tributary-refreshed'] = String(flags.refreshed)
  headers['x-tributary-retried'] = String(flags.retried)
  if (left !== undefined) headers['x-tributary-budget-left'] = String(left)
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
