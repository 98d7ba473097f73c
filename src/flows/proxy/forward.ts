import type { Readable } from 'node:stream'
import { acquire } from '#access/acquire.ts'
import { apiErrorOf } from '#access/api-errors.ts'
import type { Auth } from '#kit/auth.ts'
import type { Account } from '#model/account.ts'
import type { Profile } from '#model/profile.ts'
import type { Hangup } from '#platform/hangup.ts'
import { createTtlCache, type TtlCache } from '#platform/ttl-cache.ts'
import { UpstreamError } from '#upstream/errors.ts'
import { hasOwnServers, ownServerOf } from '#upstream/own-server.ts'
import { takeBody } from './body.ts'
import { type CallLog, createCallLog } from './call-log.ts'
import { type CallNotes, PATIENCE, type ProxyDeps, type ProxyResponse, type Target } from './deps.ts'
import { requestHeaders, responseHeaders } from './headers.ts'
import { type Opened, open } from './open.ts'
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
  notes: CallNotes
}

/** The way to the services' own APIs, with what it remembers for a moment. */
export interface Proxy {
  /** Makes the call in the person's name, as if the app had made it itself, and hands the answer back as it comes. */
  forward(account: Account, call: ProxyCall): Promise<ProxyResponse>
  note: CallLog['note']
  close(): Promise<void>
}

const SHORT_WAIT_MS = 2000
const CAPACITY_TTL_MS = 1000
/** Limit: profiles whose remaining calls the proxy of one process remembers; the least recently used goes. */
const MAX_CAPACITIES = 10_000

export function createProxy(deps: ProxyDeps): Proxy {
  const targets = createTargets(deps)
  const capacities = createTtlCache<number>(deps.clock, { ttlMs: CAPACITY_TTL_MS, maxEntries: MAX_CAPACITIES })
  const log = createCallLog(deps)
  return {
    forward: (account, call) =>
      forward(deps, { targets, capacities }, account, call).catch((error: unknown) => {
        throw error instanceof UpstreamError ? apiErrorOf(error, 'stored') : error
      }),
    note: (call) => log.note(call),
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
  account: Account,
  call: ProxyCall,
): Promise<ProxyResponse> {
  const found = await targets.find(account, call.profile)
  const target = hasOwnServers(found.connector) ? await withServer(targets, found) : found
  call.onProfile(target.profile)
  await acquire(deps, target, { purpose: 'person', maxWaitMs: SHORT_WAIT_MS, until: call.hangup })
  const { idleMs } = deps.patience ?? PATIENCE
  const body = await takeBody(call.body, call.headers, target.connector.auth.kind === 'oauth1', idleMs)
  if (!body.repeatable) call.onFlow()
  const headers = requestHeaders(call.headers)
  const out = { target, method: call.method, where: call, headers, body, hangup: call.hangup }
  const response = call.paginate
    ? await paginate(deps, targets, out, call.notes)
    : untouched(target, await open(deps, targets, out, call.notes))
  Object.assign(response.headers, notes(call.notes, await callsLeft(deps, capacities, target)))
  return response
}

async function withServer(targets: Targets, target: Target): Promise<Target> {
  const { credential } = await targets.ready(target, 'recent')
  return { ...target, server: ownServerOf(target.connector, credential) }
}

/** Undefined when it cannot be told: the service has acted, and no failure of ours may hide its answer. */
async function callsLeft(
  deps: ProxyDeps,
  capacities: TtlCache<number>,
  { profile, connector, server }: Target,
): Promise<number | undefined> {
  const { id, appId } = profile
  try {
    return await capacities.get(id, () => deps.rateLimiter.left(appId, connector, id, server))
  } catch (error) {
    deps.log.warn('the calls left could not be told', { service: connector.service, error })
    return undefined
  }
}

function untouched({ connector }: Target, opened: Opened): ProxyResponse {
  const headers = responseHeaders(opened.headers)
  const { location } = headers
  // Read at our address, a relative one would lead to a page of ours.
  if (typeof location === 'string') headers['location'] = absolute(location, opened.url, connector.auth)
  return { status: opened.status, headers, body: opened.body }
}

function absolute(location: string, base: string, auth: Auth): string {
  const url = URL.parse(location, base)
  if (url === null) return location
  const tokenPlacement =
    'tokenPlacement' in auth && auth.tokenPlacement.in === 'query' ? [auth.tokenPlacement.name] : []
  const proof = auth.kind === 'oauth2' && auth.proof !== undefined ? [auth.proof] : []
  const secret = [...tokenPlacement, ...proof].filter((name) => url.searchParams.has(name))
  for (const name of secret) url.searchParams.delete(name)
  return secret.length > 0 || !URL.canParse(location) ? url.href : location
}

function notes(notes: CallNotes, left: number | undefined): Record<string, string> {
  return {
    'x-tributary-refreshed': String(notes.refreshed),
    'x-tributary-retried': String(notes.retried),
    ...(left === undefined ? {} : { 'x-tributary-budget-left': String(left) }),
  }
}
