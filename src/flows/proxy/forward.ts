import type { Readable } from 'node:stream'
import type { Hangup } from '#base/hangup.ts'
import { createTtlCache, type TtlCache } from '#base/ttl-cache.ts'
import type { Auth } from '#kit/auth.ts'
import type { Account } from '#model/account.ts'
import { ApiError } from '#model/errors.ts'
import type { Profile } from '#model/profile.ts'
import { UpstreamError } from '#upstream/errors.ts'
import { hasOwnServers, ownServerOf } from '#upstream/own-server.ts'
import { rateNewsOf } from '#upstream/rate-news.ts'
import { retryAfterMs } from '#upstream/retry-after.ts'
import { takeBody } from './body.ts'
import { type CallLog, createCallLog } from './call-log.ts'
import { answerHeaders, requestHeaders } from './headers.ts'
import { PATIENCE, type ProxyAnswer, type ProxyNeed, type Target, type Told } from './need.ts'
import { type Opened, open, spend } from './open.ts'
import { paginate } from './paginate.ts'
import { createTargets, type Targets } from './targets.ts'

/** A call as the app made it. */
export interface ProxyCall {
  /** `service` or `id@service`. */
  profile: string
  method: string
  /** As it stood in the address, not decoded. */
  path: string
  /** Without what was meant for us. */
  query: string
  headers: NodeJS.Dict<string | string[]>
  body: Readable
  /** All pages as one array. */
  paginate: boolean
  /** Called when the body is too large to be taken in and is passed on as it comes. */
  onFlow: () => void
  hangup: Hangup
  /** Called once it is known whose data the call is about. */
  onProfile: (profile: Profile) => void
  /** Filled in as things happen, so that it is known also when the call fails. */
  told: Told
}

/** The way to the services' own APIs, with what it remembers for a moment. */
export interface Proxy {
  /** Makes the call in the person's name, as if the app had made it itself, and hands the answer back as it comes. */
  forward(account: Account, call: ProxyCall): Promise<ProxyAnswer>
  note: CallLog['note']
  close(): Promise<void>
}

const SHORT_WAIT_MS = 2000
const BUDGET_TTL_MS = 1000
/** Limit: profiles whose remaining calls the proxy of one process remembers; the least recently used goes. */
const MAX_BUDGETS = 10_000

export function createProxy(need: ProxyNeed): Proxy {
  const targets = createTargets(need)
  const budgets = createTtlCache<number>(need.clock, { ttlMs: BUDGET_TTL_MS, maxEntries: MAX_BUDGETS })
  const log = createCallLog(need)
  return {
    forward: (account, call) =>
      forward(need, { targets, budgets }, account, call).catch((error: unknown) => {
        throw refusal(error)
      }),
    note: (call) => log.note(call),
    close: async () => {
      targets.clear()
      budgets.clear()
      await log.close()
    },
  }
}

async function forward(
  need: ProxyNeed,
  { targets, budgets }: { targets: Targets; budgets: TtlCache<number> },
  account: Account,
  call: ProxyCall,
): Promise<ProxyAnswer> {
  const found = await targets.find(account, call.profile)
  const target = hasOwnServers(found.connector) ? await withServer(targets, found) : found
  call.onProfile(target.profile)
  await spend(need, target, SHORT_WAIT_MS, call.hangup)
  const { idleMs } = need.patience ?? PATIENCE
  const body = await takeBody(call.body, call.headers, target.connector.auth.kind === 'oauth1', idleMs)
  if (!body.repeatable) call.onFlow()
  const headers = requestHeaders(call.headers)
  const out = { target, method: call.method, where: call, headers, body, hangup: call.hangup }
  const answer = call.paginate
    ? await paginate(need, targets, out, call.told)
    : untouched(target, await open(need, targets, out, call.told))
  Object.assign(answer.headers, notes(call.told, await settle(need, budgets, target, answer)))
  return answer
}

async function withServer(targets: Targets, target: Target): Promise<Target> {
  const { credential } = await targets.ready(target, 'recent')
  return { ...target, server: ownServerOf(target.connector, credential) }
}

/** What is done once the service has acted. No failure of ours may hide its answer: the app would do the same again. */
async function settle(
  need: ProxyNeed,
  budgets: TtlCache<number>,
  target: Target,
  answer: ProxyAnswer,
): Promise<number | undefined> {
  const { id, appId } = target.profile
  const { connector, server } = target
  try {
    await learn(need, target, answer)
    return await budgets.get(id, () => need.budget.left(appId, connector, id, server))
  } catch (error) {
    need.log.warn('a budget could not be kept', { service: target.connector.service, error })
    return undefined
  }
}

function untouched({ connector }: Target, opened: Opened): ProxyAnswer {
  const headers = answerHeaders(opened.headers)
  const { location } = headers
  // Read at our address, a relative one would lead to a page of ours.
  if (typeof location === 'string') headers['location'] = absolute(location, opened.url, connector.auth)
  return { status: opened.status, headers, body: opened.body }
}

function absolute(location: string, base: string, auth: Auth): string {
  const url = URL.parse(location, base)
  if (url === null) return location
  const carry = 'carry' in auth && auth.carry.in === 'query' ? [auth.carry.name] : []
  const proof = auth.kind === 'oauth2' && auth.proof !== undefined ? [auth.proof] : []
  const secret = [...carry, ...proof].filter((name) => url.searchParams.has(name))
  for (const name of secret) url.searchParams.delete(name)
  return secret.length > 0 || !URL.canParse(location) ? url.href : location
}

/** What this answer says of limits counts for everybody whose calls the service counts together. */
async function learn(
  need: ProxyNeed,
  { profile, connector, server }: Target,
  { status, headers }: ProxyAnswer,
): Promise<void> {
  if (status !== 429 && connector.api.rate === undefined) return
  const plain: Record<string, string> = {}
  for (const name in headers) plain[name] = String(headers[name])
  const nowMs = need.clock.now()
  const rate = rateNewsOf(connector, plain, nowMs)
  // What is counted for one endpoint says nothing of the others.
  if (rate?.of === 'endpoint') return
  const waitMs = status === 429 ? retryAfterMs(plain, nowMs) : undefined
  const usedUp = rate?.remaining !== undefined && rate.remaining <= 0 ? rate.resetAtMs : undefined
  const untilMs = waitMs === undefined ? usedUp : nowMs + waitMs
  if (untilMs === undefined || untilMs <= nowMs) return
  const whom = rate?.of === 'person' ? profile.id : undefined
  await need.budget.block(profile.appId, connector, untilMs, whom, server)
}

function notes(told: Told, left: number | undefined): Record<string, string> {
  return {
    'x-tributary-refreshed': String(told.refreshed),
    'x-tributary-retried': String(told.retried),
    ...(left === undefined ? {} : { 'x-tributary-budget-left': String(left) }),
  }
}

function refusal(error: unknown): unknown {
  if (!(error instanceof UpstreamError)) return error
  if (error.recovery === 'reauthorize') return new ApiError('needs_auth', undefined, { cause: error })
  if (error.reason === 'service_timeout') return new ApiError('service_timeout', undefined, { cause: error })
  if (error.reason === 'request_invalid')
    return new ApiError('bad_request', 'The request cannot be sent as it is.', { cause: error })
  // Refused addresses look like any other failure: what is behind them is nobody's business.
  return new ApiError('service_unreachable', undefined, { cause: error })
}
