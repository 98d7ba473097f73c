import { endpointFault } from '#kit/endpoint-fault.ts'
import { endpointOf, OWN_SERVICE } from '#kit/own-items.ts'
import type { Registry } from '#kit/registry.ts'
import type { Account, ReadingAccount } from '#model/account.ts'
import { ApiError } from '#model/errors.ts'
import { formatIdr, globalId, parseGlobalId, parseIdr, partitionOf } from '#model/idr.ts'
import { murmur3Hex } from '#model/murmur3.ts'
import type { Selection } from '#model/query.ts'
import type { TypeName } from '#model/types.ts'
import { firstOf } from '#platform/list-ends.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { type FoundItem, findItem, hasEndpoint } from '#store/items/query.ts'
import { listReadable, listReadableUnproven, type ReadableProfile } from '#store/items/readable-profiles.ts'
import { filterByName, filterByServicesParameter } from './filter-profiles.ts'

export interface ReadDeps {
  database: Database
  registry: Registry
  /** Logs readers that fail on stored records. */
  log?: Log | undefined
}

/** The items that an API path names: some profiles of an account, and a selection of their items. */
export interface ItemScope<Holder extends ReadingAccount = Account> {
  account: Holder
  readable: ReadableProfile[]
  selection: Selection
}

/** `/services/:service/:endpoint`. */
export async function scopeOfEndpoint<Holder extends ReadingAccount>(
  deps: ReadDeps,
  account: Holder,
  service: string,
  endpoint: string,
): Promise<ItemScope<Holder>> {
  const readable = requireNamed(deps, await listReadableUnproven(deps.database, account), service)
  await checkEndpoint(deps, readable, endpoint)
  return { account, readable, selection: { endpoint } }
}

/** `/types/:type`, optionally of some services only. */
export async function scopeOfType<Holder extends ReadingAccount>(
  { database, registry }: ReadDeps,
  account: Holder,
  type: TypeName,
  services: readonly string[] | undefined,
): Promise<ItemScope<Holder>> {
  return {
    account,
    readable: filterByServicesParameter(registry, await listReadableUnproven(database, account), services),
    selection: { type },
  }
}

/** The profiles that a path names by `service` or `id@service`. */
export async function readableOf(deps: ReadDeps, account: Account, name: string): Promise<ReadableProfile[]> {
  return requireNamed(deps, await listReadable(deps.database, account), name)
}

function requireNamed({ registry }: ReadDeps, readable: ReadableProfile[], name: string): ReadableProfile[] {
  const named = filterByName(registry, readable, [name])
  if (named.length === 0) throw new ApiError('no_profile')
  return named
}

/** A service has the endpoints of its connector; own items have those where something is stored. */
async function checkEndpoint(
  { database, registry }: ReadDeps,
  readable: ReadableProfile[],
  endpoint: string,
): Promise<void> {
  const { service } = firstOf(readable)
  if (service === OWN_SERVICE.service) {
    for (const profile of readable) if (await hasEndpoint(database, profile, endpoint)) return
    throw new ApiError('not_found', `The app has stored no own items at “${endpoint}”.`)
  }
  const fault = endpointFault(registry, service, endpoint)
  if (fault !== undefined) throw new ApiError('not_found', fault)
}

/** Reads an item by its global id or IDR. An item of another account is `not_found`. */
export async function readById(
  { database }: ReadDeps,
  account: Account,
  id: string,
): Promise<{ item: FoundItem; readable: ReadableProfile[] }> {
  const readable = await listReadable(database, account)
  const { hash, owners } = locate(readable, id)
  for (const profile of owners) {
    const item = hash === undefined ? undefined : await findItem(database, profile, hash)
    if (item !== undefined) return { item, readable }
  }
  throw new ApiError('not_found')
}

function locate(
  readable: readonly ReadableProfile[],
  id: string,
): { hash: string | undefined; owners: ReadableProfile[] } {
  const known = parseGlobalId(id)
  if (known !== undefined) {
    return { hash: known.hash, owners: readable.filter((profile) => partitionOf(profile) === known.partition) }
  }
  const idr = parseIdr(id)
  if (idr?.owner === undefined || idr.item === undefined) return { hash: undefined, owners: [] }
  return {
    hash: murmur3Hex(formatIdr(idr)),
    owners: readable.filter(({ owner, service }) => owner === idr.owner && service === idr.service),
  }
}

/** Reads an item by its native id. */
export async function readByNativeId(
  { database, registry }: ReadDeps,
  { readable }: ItemScope,
  endpoint: string,
  nativeId: string,
): Promise<FoundItem> {
  for (const profile of readable) {
    const { owner, service } = profile
    const type = endpointOf(registry, service, endpoint)?.kind.name ?? 'data'
    const id = globalId({ type, owner, service, endpoint, item: nativeId }).slice(0, 32)
    const item = await findItem(database, profile, id)
    if (item !== undefined) return item
  }
  throw new ApiError('not_found')
}
