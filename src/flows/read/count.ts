import { OWN_SERVICE } from '#kit/connector/own-items.ts'
import { SELF_ENDPOINT } from '#kit/connector/self-map.ts'
import type { Account } from '#model/accounts/account.ts'
import { TYPE_NAMES, typeBits } from '#model/items/types.ts'
import { firstOf } from '#platform/formats/list-ends.ts'
import { listReadable, type ReadableProfile } from '#store/identity/readable-profiles.ts'
import type { TimeRange } from '#store/items/count-shown.ts'
import { type Counted, countItemsOf } from '#store/items/counts.ts'
import { listEndpoints } from '#store/sync/endpoints.ts'
import { filterByServicesParameter } from './filter-profiles.ts'
import { type ReadDeps, readableOf } from './find.ts'
import { selfTimes } from './self-items.ts'

export interface Summary {
  count: number
  oldest?: number
  newest?: number
  last_sync?: number
}

type Counts = Record<string, number | Summary>

export interface CountOptions extends TimeRange {
  /** Add the oldest and newest times, and for endpoints the last sync. */
  rich: boolean
}

/** Counts what the list of each type shows, optionally of some services only. */
export async function countTypes(
  { database, registry }: ReadDeps,
  account: Account,
  services: readonly string[] | undefined,
  { rich, ...range }: CountOptions,
): Promise<Counts> {
  const readable = filterByServicesParameter(registry, await listReadable(database, account), services)
  const counted = await countAll(database, readable, range)
  return Object.fromEntries(
    TYPE_NAMES.map((type) => {
      const bits = typeBits([type])
      const ofType = counted.filter(({ types }) => (types & bits) !== 0)
      return [type, rich ? summary(ofType) : sum(ofType)]
    }),
  )
}

/** Counts what the list of each endpoint of a service shows. */
export async function countEndpoints(
  deps: ReadDeps,
  account: Account,
  name: string,
  { rich, ...range }: CountOptions,
): Promise<Counts> {
  const { database, registry } = deps
  const readable = await readableOf(deps, account, name)
  const all = [...(await countAll(database, readable, range)), ...countSelf(readable, range)]
  const counted = Map.groupBy(all, ({ endpoint }) => endpoint)
  const { service } = firstOf(readable)
  const known = service === OWN_SERVICE.service ? {} : (registry.find(service)?.endpoints ?? {})
  const names = [...new Set([...Object.keys(known), ...counted.keys()])]
  const ofEndpoint = (endpoint: string) => counted.get(endpoint) ?? []
  if (!rich) return Object.fromEntries(names.map((endpoint) => [endpoint, sum(ofEndpoint(endpoint))]))
  const synced = await lastSyncs(database, readable)
  return Object.fromEntries(
    names.map((endpoint) => {
      const last = synced.get(endpoint)
      return [endpoint, { ...summary(ofEndpoint(endpoint)), ...(last === undefined ? {} : { last_sync: last }) }]
    }),
  )
}

/** People's own records are not in the table of items. */
function countSelf(readable: ReadableProfile[], { since, until }: TimeRange): Counted[] {
  return selfTimes(readable)
    .filter((at) => at >= since && at <= until)
    .map((at) => ({ endpoint: SELF_ENDPOINT, types: 0, n: 1, oldest: at, newest: at }))
}

async function countAll(
  database: ReadDeps['database'],
  readable: ReadableProfile[],
  range: TimeRange,
): Promise<Counted[]> {
  return (await Promise.all(readable.map((profile) => countItemsOf(database, profile, range)))).flat()
}

async function lastSyncs(database: ReadDeps['database'], readable: ReadableProfile[]): Promise<Map<string, number>> {
  const last = new Map<string, number>()
  for (const states of await Promise.all(readable.map((profile) => listEndpoints(database, profile)))) {
    for (const { endpoint, lastRunAt } of states)
      if (lastRunAt !== undefined) last.set(endpoint, Math.max(lastRunAt, last.get(endpoint) ?? 0))
  }
  return last
}

function sum(counted: Counted[]): number {
  return counted.reduce((total, { n }) => total + n, 0)
}

function summary(counted: Counted[]): Summary {
  const count = sum(counted)
  if (count === 0) return { count }
  return {
    count,
    oldest: Math.min(...counted.map(({ oldest }) => oldest).filter((at) => at !== null)),
    newest: Math.max(...counted.map(({ newest }) => newest).filter((at) => at !== null)),
  }
}
