import { OWN_SERVICE } from '#kit/own-items.ts'
import type { Account } from '#model/account.ts'
import { TYPE_NAMES, typeBits } from '#model/types.ts'
import { firstOf } from '#platform/list-ends.ts'
import { type Counted, countItemsOf } from '#store/items/counts.ts'
import { listReadable, type ReadableProfile } from '#store/items/readable-profiles.ts'
import { listEndpoints } from '#store/sync/endpoints.ts'
import { type ReadDeps, readableOf } from './find.ts'

export interface Summary {
  count: number
  oldest?: number
  newest?: number
  last_sync?: number
}

type Counts = Record<string, number | Summary>

/** Counts the items of each type; with `rich` also their oldest and newest times. */
export async function countTypes({ database }: ReadDeps, account: Account, rich: boolean): Promise<Counts> {
  const counted = await countAll(database, await listReadable(database, account))
  return Object.fromEntries(
    TYPE_NAMES.map((type) => {
      const bits = typeBits([type])
      const ofType = counted.filter(({ types }) => (types & bits) !== 0)
      return [type, rich ? summary(ofType) : sum(ofType)]
    }),
  )
}

/** Counts the items of each endpoint of a service; with `rich` also their oldest and newest times and the last sync. */
export async function countEndpoints(deps: ReadDeps, account: Account, name: string, rich: boolean): Promise<Counts> {
  const { database, registry } = deps
  const readable = await readableOf(deps, account, name)
  const counted = Map.groupBy(await countAll(database, readable), ({ endpoint }) => endpoint)
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

async function countAll(database: ReadDeps['database'], readable: ReadableProfile[]): Promise<Counted[]> {
  return (await Promise.all(readable.map((profile) => countItemsOf(database, profile)))).flat()
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
  if (counted.length === 0) return { count: 0 }
  return {
    count: sum(counted),
    oldest: Math.min(...counted.map(({ oldest }) => oldest)),
    newest: Math.max(...counted.map(({ newest }) => newest)),
  }
}
