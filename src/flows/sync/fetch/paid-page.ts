import type { PageRequest } from '#kit/endpoints/pages.ts'
import { affordable, costOf, type Price } from '#kit/endpoints/price.ts'
import { MAX_MICROS, type Micros, monthOf, nextMonthAt } from '#model/apps/money.ts'
import { findAppSync } from '#store/apps/apps.ts'
import { findSpending, reserveSpending, type SpendingKey, settleSpending } from '#store/sync/spending.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import type { SyncDeps } from '../deps.ts'
import { isPaidFor } from '../schedule/interval.ts'
import type { EndpointRun, ProfileRun } from '../walk/endpoint-run.ts'
import { reportLimitReached, reportUnpaid } from './report-spending.ts'

/** One call to a service, for which money may be set aside. */
export interface PageCall {
  /** With a smaller page, where less money is left. */
  request: PageRequest
  /** The response arrived: counts what it cost. */
  settle: (fetched: { unchanged: true } | { unchanged: false; body: unknown }) => Promise<void>
  /** The call failed: counts nothing where the service certainly charged nothing. */
  settleFailure: (error: unknown) => Promise<void>
}

/** Limit: attempts to set money aside while other runs of the app do the same; then the endpoint waits. */
const MAX_ATTEMPTS = 5
const CROWDED_WAIT_MS = 5000

/** What is read, and how many of the records that are paid for a response has; undefined where that cannot be seen. */
export interface PricedRead extends Pick<ProfileRun, 'profile' | 'connector'> {
  name: string
  price: Price
  recordsIn: (body: unknown) => number | undefined
}

export async function reservePage(
  deps: Pick<SyncDeps, 'database' | 'clock'>,
  { profile, connector, name, endpoint }: EndpointRun,
  request: PageRequest,
): Promise<PageCall> {
  const { price } = endpoint
  if (price === undefined) return { request, settle: async () => {}, settleFailure: async () => {} }
  const recordsIn = (body: unknown) => endpoint.items(body)?.length
  return reserveRead(deps, { profile, connector, name, price, recordsIn }, request)
}

/**
 * Sets aside what a call costs at most before it is made: a process that dies meanwhile, or a response that is
 * lost, has counted too much, never too little. Throws where the app's rules do not allow the call.
 */
export async function reserveRead(
  deps: Pick<SyncDeps, 'database' | 'clock'>,
  run: PricedRead,
  request: PageRequest,
): Promise<PageCall> {
  const { price } = run
  const { key, limit } = await allowedSpending(deps, run)
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const spending = await findSpending(deps.database, key)
    const waitMs = (spending?.unpaidUntil ?? 0) - deps.clock.now()
    if (waitMs > 0) throw unpaid(run, waitMs)
    const call = affordable(price, request, limit - (spending?.spent ?? 0))
    if (call === undefined) {
      const resetsAt = nextMonthAt(deps.clock.now())
      await reportLimitReached(deps, key, { currency: price.currency, limit, spent: spending?.spent ?? 0, resetsAt })
      throw limitReached(run, resetsAt, deps.clock.now())
    }
    if (await reserveSpending(deps.database, key, { currency: price.currency, cost: call.cost, limit }))
      return { request: call.request, ...settlement(deps, run, key, call.cost) }
  }
  throw new UpstreamError('retry', 'Other syncs of the app are using up what it may spend.', {
    reason: 'capacity',
    retryAfterMs: CROWDED_WAIT_MS,
  })
}

/** Read for every page, so that an app that changes its mind is heard in the middle of a walk. */
async function allowedSpending(
  { database, clock }: Pick<SyncDeps, 'database' | 'clock'>,
  { profile, connector, name, price }: PricedRead,
): Promise<{ key: SpendingKey; limit: Micros }> {
  const { service } = connector
  const rules = await findAppSync(database, profile.appId)
  if (!isPaidFor(service, name, { price }, rules)) throw switchedOff()
  return {
    key: { appId: profile.appId, service, month: monthOf(clock.now()) },
    limit: rules.spending[service]?.micros ?? MAX_MICROS,
  }
}

function settlement(
  deps: Pick<SyncDeps, 'database' | 'clock'>,
  { price, recordsIn }: PricedRead,
  key: SpendingKey,
  reserved: Micros,
): Pick<PageCall, 'settle' | 'settleFailure'> {
  return {
    settle: async (fetched) => {
      const cost = fetched.unchanged ? price.perCall : chargedFor(fetched.body)
      await settleSpending(deps.database, key, reserved - cost, { isPaid: true })
    },
    settleFailure: async (error) => {
      if (!(error instanceof UpstreamError) || mayBeCharged(error)) return
      await settleSpending(deps.database, key, reserved, { isPaid: false })
      if (error.reason === 'unpaid') await reportUnpaid(deps, key, error.retryAfterMs)
    },
  }

  /** A response that the connector cannot read counts as a full page. */
  function chargedFor(body: unknown): Micros {
    try {
      const records = recordsIn(body)
      return records === undefined ? reserved : costOf(price, records)
    } catch {
      // The walk reports it.
      return reserved
    }
  }
}

/** Errors of a connection that was never made. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])

/** Services charge for responses with data; a response that never came may have had some. */
function mayBeCharged({ status, reason, cause }: UpstreamError): boolean {
  if (status !== undefined && status >= 400) return false
  if (reason === 'address_refused' || reason === 'request_invalid') return false
  const { code } = (cause ?? {}) as { code?: unknown }
  return !(typeof code === 'string' && NOT_CONNECTED.has(code))
}

function switchedOff(): UpstreamError {
  return new UpstreamError('retry', 'The endpoint costs money, and the app has switched it off.', {
    reason: 'priced',
    retryAfterMs: 0,
  })
}

function unpaid({ connector }: PricedRead, waitMs: number): UpstreamError {
  return new UpstreamError('retry', `${connector.title} wants to be paid first: the app’s credit there has ended.`, {
    reason: 'unpaid',
    retryAfterMs: waitMs,
  })
}

/** Without amounts: people see it too. */
function limitReached({ connector }: PricedRead, resetsAt: number, nowMs: number): UpstreamError {
  const day = new Date(resetsAt).toISOString().slice(0, 10)
  const message = `What the app may spend at ${connector.title} in a month is spent. The sync continues on ${day}.`
  return new UpstreamError('retry', message, { reason: 'spending_limit_reached', retryAfterMs: resetsAt - nowMs })
}
