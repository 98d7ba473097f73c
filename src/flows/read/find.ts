import { endpointFault } from '#kit/connector/endpoint-fault.ts'
import { endpointOf, OWN_SERVICE, ownEndpoint } from '#kit/connector/own-items.ts'
import type { Registry } from '#kit/connector/registry.ts'
import { isSelfEndpoint } from '#kit/connector/self-map.ts'
import type { Account, VerifiedOrCachedAccount } from '#model/accounts/account.ts'
import { ApiError } from '#model/errors.ts'
import { formatIdr, globalId, parseGlobalId, parseIdr, partitionOf } from '#model/items/idr.ts'
import { murmur3Hex } from '#model/items/murmur3.ts'
import type { Selection } from '#model/items/query.ts'
import type { TypeName } from '#model/items/types.ts'
import { firstOf } from '#platform/formats/list-ends.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { listReadable, listReadableUnproven, type ReadableProfile } from '#store/identity/readable-profiles.ts'
import { findItem, hasEndpoint } from '#store/items/items-by-id.ts'
import { nameOfDeleted } from '#store/items/own-copies.ts'
import type { FoundItem } from '#store/items/query.ts'
import { filterByName, filterByServicesParameter } from './filter-profiles.ts'
import { findSelfItem, selfItemHash } from './self-items.ts'

export interface ReadDeps {
  database: Database
  registry: Registry
  /** Logs readers that fail on stored records. */
  log?: Log | undefined
}

/** The items that an API path names: some profiles of an account, and a selection of their items. */
export interface ItemScope<Holder extends VerifiedOrCachedAccount = Account> {
  account: Holder
  readable: ReadableProfile[]
  selection: Selection
}

/** `/services/:service/:endpoint`. */
export async function scopeOfEndpoint<Holder extends VerifiedOrCachedAccount>(
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
export async function scopeOfType<Holder extends VerifiedOrCachedAccount>(
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
  if (isSelfEndpoint(service, endpoint)) return
  if (service === OWN_SERVICE.service) {
    if (await hasEndpoint(database, readable, endpoint)) return
    throw new ApiError('not_found', `The app has stored no own items at “${endpoint}”.`)
  }
  const fault = endpointFault(registry, service, endpoint)
  if (fault !== undefined) throw new ApiError('not_found', fault)
}

/** Reads an item by its global id or IDR. An item of another account is `not_found`. */
export async function readById(
  { database, registry }: ReadDeps,
  account: Account,
  id: string,
): Promise<{ item: FoundItem; readable: ReadableProfile[] }> {
  const readable = await listReadable(database, account)
  const { hash, owners } = locate(registry, readable, id)
  if (hash !== undefined) {
    const self = await findSelfItem({ database }, owners, hash)
    if (self !== undefined) return { item: self, readable }
    const item = await findItem(database, owners, hash)
    if (item !== undefined) return { item, readable }
  }
  const item = await readOwnByFormerId({ database, registry }, readable, id)
  if (item === undefined) throw new ApiError('not_found')
  return { item, readable }
}

/**
 * After a merge, an own item may be stored under another id than the one that is asked for: the id of a copy that the merge
 * replaced, or an IDR with another of the merged accounts.
 */
async function readOwnByFormerId(
  { database, registry }: ReadDeps,
  readable: readonly ReadableProfile[],
  id: string,
): Promise<FoundItem | undefined> {
  const own = readable.filter(({ service }) => service === OWN_SERVICE.service)
  if (own.length < 2) return undefined
  const { hash, owners } = locate(registry, own, id)
  const idr = parseIdr(id)
  if (idr?.item !== undefined && owners.length > 0 && idr.type === ownEndpoint.kind.name)
    return newestOwn(database, own, idr.endpoint, idr.item)
  for (const profile of owners) {
    const name = hash === undefined ? undefined : await nameOfDeleted(database, profile, hash)
    if (name !== undefined) return newestOwn(database, own, name.endpoint, name.nativeId)
  }
  return undefined
}

/** Merges of earlier releases left copies in several profiles. */
async function newestOwn(
  database: Database,
  own: readonly ReadableProfile[],
  endpoint: string,
  item: string,
): Promise<FoundItem | undefined> {
  let newest: FoundItem | undefined
  for (const profile of own) {
    const { owner, service } = profile
    const id = globalId({ type: ownEndpoint.kind.name, owner, service, endpoint, item }).slice(0, 32)
    const found = await findItem(database, [profile], id)
    if (found !== undefined && (newest === undefined || found.updatedAt > newest.updatedAt)) newest = found
  }
  return newest
}

function locate(
  registry: Registry,
  readable: readonly ReadableProfile[],
  id: string,
): { hash: string | undefined; owners: ReadableProfile[] } {
  const known = parseGlobalId(id)
  if (known !== undefined) {
    return { hash: known.hash, owners: readable.filter((profile) => partitionOf(profile) === known.partition) }
  }
  const parsed = parseIdr(id)
  if (parsed?.owner === undefined || parsed.item === undefined) return { hash: undefined, owners: [] }
  // Ids contain the name of the service, never an alias.
  const idr = { ...parsed, service: registry.find(parsed.service)?.service ?? parsed.service }
  return {
    hash: murmur3Hex(formatIdr(idr)),
    owners: readable.filter(({ owner, service }) => owner === idr.owner && service === idr.service),
  }
}

/** Reads an item by its native id; if several profiles have it, from the one connected last. */
export async function readByNativeId(
  { database, registry }: ReadDeps,
  { readable }: ItemScope,
  endpoint: string,
  nativeId: string,
): Promise<FoundItem> {
  if (isSelfEndpoint(firstOf(readable).service, endpoint)) {
    const item = await findSelfItem({ database }, readable, selfItemHash(firstOf(readable).service, nativeId))
    if (item !== undefined) return item
    throw new ApiError('not_found')
  }
  const own = readable.filter(({ service }) => service === OWN_SERVICE.service)
  const newest = await newestOwn(database, own, endpoint, nativeId)
  if (newest !== undefined) return newest
  for (const profile of lastConnectedFirst(readable)) {
    const { owner, service } = profile
    const type = endpointOf(registry, service, endpoint)?.kind.name ?? 'data'
    const id = globalId({ type, owner, service, endpoint, item: nativeId }).slice(0, 32)
    const item = await findItem(database, [profile], id)
    if (item !== undefined) return item
  }
  throw new ApiError('not_found')
}

/** Profiles are listed with the one connected last first; duplicates that a merge added follow the profile they were merged into. */
function lastConnectedFirst(readable: readonly ReadableProfile[]): ReadableProfile[] {
  return [...Map.groupBy(readable, ({ owner }) => owner).values()].flat()
}
