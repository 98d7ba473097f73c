import type { Connector } from '#kit/connector/connector.ts'
import type { Endpoint } from '#kit/endpoints/endpoint.ts'
import { presentPrice } from '#kit/endpoints/price.ts'
import { formatMoney, monthOf, nextMonthAt, parseMoney } from '#model/apps/money.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import type { SpendingLimit, SyncRules } from '#model/sync/sync-rules.ts'
import { findApp, findAppSync, lockAppSync, setAppSync } from '#store/apps/apps.ts'
import { auditApp } from '#store/audit.ts'
import { requestAppWake } from '#store/sync/app-wakes.ts'
import { forgetSpendingStops, listSpending, type Spending } from '#store/sync/spending.ts'
import type { SyncDeps } from '../deps.ts'
import { isPaidFor } from './interval.ts'
import { wakeApp } from './wake-app.ts'

/** The name under which the person's own record is switched on, where reading it costs money. No endpoint may have it. */
export const SELF = 'self'

type SpendingDeps = Pick<SyncDeps, 'database' | 'clock' | 'registry'>

/** What an app changes; what is left out stays as it is. */
export interface SpendingInput {
  /** By `service/endpoint`, or `service/*` for all of a service: true switches it on. */
  endpoints?: Record<string, boolean> | undefined
  /** By service: an amount such as `25.00`, or null for no limit. */
  limits?: Record<string, string | null> | undefined
}

/** What a service with priced endpoints costs an app. */
export interface ServiceSpending {
  currency: string
  month: string
  spent: string
  /** Null: no limit. */
  limit: string | null
  resets_at: number
  /** `reached`: the limit keeps calls from being made. `unpaid`: the service wants to be paid first. */
  state: 'ok' | 'reached' | 'unpaid'
  retry_at?: number
  endpoints: Record<string, { on: boolean; price: ReturnType<typeof presentPrice> }>
}

/** The spending of an app in this month, by service. */
export async function getSpending(
  { database, clock, registry }: SpendingDeps,
  appId: string,
): Promise<Record<string, ServiceSpending>> {
  if ((await findApp(database, appId)) === undefined) throw noApp(appId)
  const [nowMs, rules] = [clock.now(), await findAppSync(database, appId)]
  const spent = new Map((await listSpending(database, appId, monthOf(nowMs))).map((each) => [each.service, each]))
  return Object.fromEntries(
    registry
      .list()
      .filter((connector) => pricedEndpoints(connector).length > 0)
      .map((connector) => [connector.service, describe(connector, rules, spent.get(connector.service), nowMs)]),
  )
}

/** Switches priced endpoints of an app on or off, and sets what it may spend in a month; in effect from the next page. */
export async function setSpending(
  deps: SpendingDeps,
  appId: string,
  input: SpendingInput,
  actor: string,
): Promise<Record<string, ServiceSpending>> {
  const { database, clock, registry } = deps
  const switches = Object.entries(input.endpoints ?? {}).map(([name, isOn]): [string, boolean] => [
    checkPriced(registry, name),
    isOn,
  ])
  const limits = Object.entries(input.limits ?? {}).map(([service, text]): [string, SpendingLimit | undefined] => [
    checkService(registry, service),
    readLimit(service, text),
  ])
  const now = clock.now()
  await database.transaction(async (tx) => {
    const rules = await lockAppSync(tx, appId)
    if (rules === undefined) throw noApp(appId)
    const changed = { ...rules, on: switched(registry, rules.on, switches), spending: { ...rules.spending } }
    for (const [service, limit] of limits)
      if (limit === undefined) delete changed.spending[service]
      else changed.spending[service] = limit
    await setAppSync(tx, appId, changed)
    await requestAppWake(tx, appId, now)
    await forgetSpendingStops(tx, appId, monthOf(now))
    await auditApp(tx, appId, { at: now, actor, action: 'app.spending', detail: { ...input } })
  })
  await wakeApp(deps, appId, now)
  return getSpending(deps, appId)
}

/** `service/*` replaces all names of its endpoints; switching one off resolves a `service/*` into the others. */
function switched(registry: SyncDeps['registry'], on: readonly string[], switches: [string, boolean][]): string[] {
  const names = new Set(on)
  for (const [name, isOn] of switches) {
    const [service = '', endpoint = ''] = name.split('/')
    const connector = registry.find(service)
    const all = connector === undefined ? [] : pricedEndpoints(connector).map(([each]) => `${service}/${each}`)
    if (endpoint === '*') for (const each of all) names.delete(each)
    else if (!isOn && names.delete(`${service}/*`)) for (const each of all) names.add(each)
    if (isOn) names.add(name)
    else names.delete(name)
  }
  return [...names].sort()
}

function describe(
  connector: Connector,
  rules: SyncRules,
  spending: Spending | undefined,
  nowMs: number,
): ServiceSpending {
  const { service } = connector
  const priced = pricedEndpoints(connector)
  const isUnpaid = (spending?.unpaidUntil ?? 0) > nowMs
  return {
    currency: spending?.currency ?? priced[0]?.[1].price?.currency ?? '',
    month: monthOf(nowMs),
    spent: formatMoney(spending?.spent ?? 0),
    limit: rules.spending[service] === undefined ? null : formatMoney(rules.spending[service].micros),
    resets_at: nextMonthAt(nowMs),
    state: isUnpaid ? 'unpaid' : spending?.reachedAt === undefined ? 'ok' : 'reached',
    ...(isUnpaid ? { retry_at: spending?.unpaidUntil ?? nowMs } : {}),
    endpoints: Object.fromEntries(
      priced.flatMap(([name, endpoint]) =>
        endpoint.price === undefined
          ? []
          : [[name, { on: isPaidFor(service, name, endpoint, rules), price: presentPrice(endpoint.price) }]],
      ),
    ),
  }
}

/** The person's own record is among them. */
function pricedEndpoints({ endpoints, self }: Connector): [string, Pick<Endpoint, 'price'>][] {
  const all: [string, Pick<Endpoint, 'price'>][] = [...Object.entries(endpoints), [SELF, self]]
  return all.filter(([, { price }]) => price !== undefined)
}

function checkPriced(registry: SyncDeps['registry'], name: string): string {
  const [service = '', endpoint = '', ...rest] = name.split('/')
  const connector = registry.find(service)
  const priced = connector === undefined ? [] : pricedEndpoints(connector).map(([each]) => each)
  if (
    connector !== undefined &&
    rest.length === 0 &&
    (endpoint === '*' ? priced.length > 0 : priced.includes(endpoint))
  )
    return `${connector.service}/${endpoint}`
  throw invalidInput('bad_body', `endpoints.${name}`, 'no endpoint of this name has a price.')
}

function checkService(registry: SyncDeps['registry'], name: string): string {
  const connector = registry.find(name)
  if (connector !== undefined && pricedEndpoints(connector).length > 0) return connector.service
  throw invalidInput('bad_body', `limits.${name}`, 'no service of this name has a price.')
}

function readLimit(service: string, text: string | null): SpendingLimit | undefined {
  if (text === null) return undefined
  const micros = parseMoney(text)
  if (micros === undefined)
    throw invalidInput('bad_body', `limits.${service}`, 'must be an amount such as “25.00”, or null for no limit.')
  return { text, micros }
}

function noApp(appId: string): ApiError {
  return new ApiError('not_found', `There is no app ${appId}.`)
}
