import { endpointOf } from '#kit/own-items.ts'
import type { ReaderFault } from '#kit/read-field.ts'
import { mapOf } from '#kit/read-item.ts'
import type { Registry } from '#kit/registry.ts'
import { isSelfEndpoint, SELF_TYPE, selfMap } from '#kit/self-map.ts'
import { invalidInput } from '#model/errors.ts'
import { idrsOf, partitionOf } from '#model/idr.ts'
import { presentTypes, typesFromBits } from '#model/types.ts'
import type { Log } from '#platform/telemetry/log.ts'
import type { FoundItem } from '#store/items/query.ts'
import type { ReadableProfile } from '#store/items/readable-profiles.ts'
import { type LosslessJson, parseStored, stringifyLossless } from '#upstream/body/lossless-json.ts'
import { pickFlat, pickNested } from './fields.ts'
import { noteMapFault } from './map-faults.ts'

export interface Presentation {
  /** Add the normalised card, as `/types/*` does. */
  oembed: boolean
  map: boolean
  fields?: string[] | undefined
  select?: string[] | undefined
}

export interface PresentDeps {
  registry: Registry
  log?: Log | undefined
}

/** Formats stored items as JSON text. Where nothing has to be computed, the stored record is copied without parsing it. */
export function createPresenter(
  deps: PresentDeps,
  readable: readonly ReadableProfile[],
  options: Presentation,
): (item: FoundItem) => string {
  if (options.fields !== undefined && options.select !== undefined)
    throw invalidInput('bad_parameter', 'select', 'cannot be given together with fields.')
  const { registry } = deps
  const profiles = new Map(readable.map((profile) => [profile.profileId, { profile, partition: partitionOf(profile) }]))
  const idrOf = createIdrs(registry)
  const paths = [...(options.fields ?? []), ...(options.select ?? [])]
  const wantsMap = options.map || paths.some((path) => path === 'map' || path.startsWith('map.'))
  return (item) => {
    const { profile, partition } = profiles.get(item.profileId)!
    const idr = idrOf(profile, item)
    const isSelf = isSelfEndpoint(profile.service, item.endpoint)
    // A person's own record has no card, because it belongs to no type of `/types`.
    const hasCard = options.oembed && !isSelf
    const head = `{"id":"${item.id}_${partition}","idr":"${idr}","at":${item.at},"updated":${item.updatedAt},"data":${item.data},${isSelf ? SELF_TAIL : tailOf(item)}`
    if (!wantsMap && paths.length === 0) return `${head}${hasCard ? `,"oembed":${item.oembed}` : ''}}`
    const whole = parseStored(isSelf ? `${head}}` : `${head},"oembed":${item.oembed}}`) as {
      [key: string]: LosslessJson
    }
    if (wantsMap) {
      if (isSelf) addSelfMap(deps, profile, item, whole)
      else addMap(deps, profile, item, whole)
    }
    if (options.fields !== undefined) return stringifyLossless(pickFlat(whole, options.fields) as LosslessJson)
    if (options.select !== undefined) return stringifyLossless(pickNested(whole, options.select) as LosslessJson)
    if (!hasCard) delete whole['oembed']
    return stringifyLossless(whole)
  }
}

/** Formats one item, and returns a version that changes whenever the item does. */
export function presentOne(
  deps: PresentDeps,
  readable: readonly ReadableProfile[],
  options: Presentation,
  item: FoundItem,
): { text: string; version: string } {
  return { text: createPresenter(deps, readable, options)(item), version: `${item.updatedAt}-${item.seq}` }
}

/** Caches the IDR prefix of each stream: many items come from few streams. */
function createIdrs(registry: Registry): (profile: ReadableProfile, item: FoundItem) => string {
  const streams = new Map<string, (item: string) => string>()
  return ({ profileId, service, owner }, { endpoint, nativeId }) => {
    const key = `${profileId} ${endpoint}`
    let idrOf = streams.get(key)
    if (idrOf === undefined) {
      const type = isSelfEndpoint(service, endpoint)
        ? SELF_TYPE
        : (endpointOf(registry, service, endpoint)?.kind.name ?? 'data')
      idrOf = idrsOf({ type, owner, service, endpoint })
      streams.set(key, idrOf)
    }
    return idrOf(nativeId)
  }
}

const SELF_TAIL = `"types":${JSON.stringify({ [SELF_TYPE]: true })}`
// JSON text by bits: there are few combinations of types, and every item has one.
const typesJson = new Map<number, string>()

function tailOf({ types: bits, guid }: FoundItem): string {
  let types = typesJson.get(bits)
  if (types === undefined) {
    types = JSON.stringify(presentTypes(typesFromBits(bits)))
    typesJson.set(bits, types)
  }
  return `"types":${types}${guid.length === 0 ? '' : `,"guid":${JSON.stringify(guid.join(' '))}`}`
}

function addMap(
  { registry, log }: PresentDeps,
  profile: ReadableProfile,
  item: FoundItem,
  whole: { [key: string]: LosslessJson },
): void {
  const endpoint = endpointOf(registry, profile.service, item.endpoint)
  const onFault = (fault: ReaderFault) => noteMapFault(log, profile.service, item.endpoint, fault)
  const map = endpoint === undefined ? {} : mapOf(endpoint, whole['data'], profile.owner, onFault)
  whole['map'] = { ...map, oembed: whole['oembed'] } as LosslessJson
}

/** When the connector's reader fails, only `map` is missing. */
function addSelfMap(
  { registry, log }: PresentDeps,
  { service, owner }: ReadableProfile,
  { endpoint }: FoundItem,
  whole: { [key: string]: LosslessJson },
): void {
  try {
    whole['map'] = selfMap(registry, service, owner, whole['data']) as LosslessJson
  } catch (error) {
    noteMapFault(log, service, endpoint, { field: 'map', message: error instanceof Error ? error.name : 'no error' })
    whole['map'] = { id: owner }
  }
}
