import { completeMap, itemMap } from '#kit/connector/item-map.ts'
import { endpointOf } from '#kit/connector/own-items.ts'
import type { Registry } from '#kit/connector/registry.ts'
import { isSelfEndpoint, SELF_TYPE, selfMap } from '#kit/connector/self-map.ts'
import type { ReaderFault } from '#kit/read/read-field.ts'
import type { ProfileRef } from '#model/accounts/account.ts'
import { invalidInput } from '#model/errors.ts'
import { idrsOf, partitionOf } from '#model/items/idr.ts'
import { presentTypes, typeBits, typesFromBits } from '#model/items/types.ts'
import type { Log } from '#platform/telemetry/log.ts'
import type { FoundItem } from '#store/items/query.ts'
import { type LosslessJson, parseStored, stringifyLossless } from '#upstream/body/lossless-json.ts'
import { flatPicker, nestedPicker } from './fields.ts'
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

/** Formats stored items as JSON text. What does not have to be computed is copied from the stored text without parsing it. */
export function createPresenter(
  deps: PresentDeps,
  readable: readonly ProfileRef[],
  options: Presentation,
): (item: FoundItem) => string {
  if (options.fields !== undefined && options.select !== undefined)
    throw invalidInput('bad_parameter', 'select', 'cannot be given together with fields.')
  const profiles = new Map(readable.map((profile) => [profile.profileId, { profile, partition: partitionOf(profile) }]))
  const idrOf = createIdrs(deps.registry)
  const pick = pickerOf(options)
  return (item) => {
    const owner = profiles.get(item.profileId)
    if (owner === undefined) throw new Error(`an item of another profile was read: ${item.profileId}`)
    const { profile, partition } = owner
    const shown = {
      profile,
      item,
      id: `${item.id}_${partition}`,
      idr: idrOf(profile, item),
      isSelf: isSelfEndpoint(profile.service, item.endpoint),
      copyOf: item.copyOf && `${item.copyOf.id}_${profiles.get(item.copyOf.profileId)!.partition}`,
    }
    return pick === undefined ? presentWhole(deps, shown, options) : pick(deps, shown)
  }
}

interface ShownItem {
  profile: ProfileRef
  item: FoundItem
  id: string
  idr: string
  isSelf: boolean
  /** The global id of its original. */
  copyOf: string | undefined
}

function presentWhole(deps: PresentDeps, shown: ShownItem, { oembed, map }: Presentation): string {
  const { item, id, idr, isSelf, copyOf } = shown
  const original = copyOf === undefined ? '' : `,"copy_of":"${copyOf}"`
  const head = `{"id":"${id}","idr":"${idr}","at":${item.at},"updated":${item.updatedAt},"data":${item.data},"types":${typesOf(shown)}${guidOf(item)}${original}`
  // A person's own record has no card, because it belongs to no type of `/types`.
  const card = oembed && !isSelf ? `,"oembed":${item.oembed}` : ''
  return `${head}${card}${map ? `,"map":${mapText(deps, shown)}` : ''}}`
}

/** The map with the stored card, which is copied. */
function mapText(deps: PresentDeps, shown: ShownItem): string {
  const text = stringifyLossless(mapOfItem(deps, shown, parseStored(shown.item.data)) as LosslessJson)
  if (shown.isSelf) return text
  return `${text.slice(0, -1)},"oembed":${shown.item.oembed}}`
}

/** Selects fields of an item; undefined when it is shown whole. */
function pickerOf({
  fields,
  select,
  oembed,
}: Presentation): ((deps: PresentDeps, shown: ShownItem) => string) | undefined {
  const paths = fields ?? select
  if (paths === undefined) return undefined
  const wanted = new Set(paths.map((path) => path.split('.', 1)[0]!))
  const pick = fields === undefined ? nestedPicker(paths) : flatPicker(paths)
  return (deps, shown) => stringifyLossless(pick(partsOf(deps, shown, wanted, oembed)) as LosslessJson)
}

/** The item as a value, with the wanted fields: only these are parsed or computed. */
function partsOf(
  deps: PresentDeps,
  shown: ShownItem,
  wanted: ReadonlySet<string>,
  hasCard: boolean,
): { [key: string]: LosslessJson } {
  const { item, id, idr, isSelf, copyOf } = shown
  const parts: { [key: string]: LosslessJson } = { id, idr, at: item.at, updated: item.updatedAt }
  const hasMap = wanted.has('map')
  if (wanted.has('data') || hasMap) parts['data'] = parseStored(item.data)
  if (wanted.has('types')) parts['types'] = JSON.parse(typesOf(shown)) as LosslessJson
  if (item.guid.length > 0) parts['guid'] = item.guid.join(' ')
  if (copyOf !== undefined) parts['copy_of'] = copyOf
  const isCardWanted = hasCard && wanted.has('oembed')
  const card = !isSelf && (isCardWanted || hasMap) ? parseStored(item.oembed) : undefined
  if (isCardWanted && card !== undefined) parts['oembed'] = card
  if (!hasMap) return parts
  const map = mapOfItem(deps, shown, parts['data']!) as { [key: string]: LosslessJson }
  parts['map'] = card === undefined ? map : { ...map, oembed: card }
  return parts
}

/** Formats one item, and returns a version that changes whenever the item does. */
export function presentOne(
  deps: PresentDeps,
  readable: readonly ProfileRef[],
  options: Presentation,
  item: FoundItem,
): { text: string; version: string } {
  return { text: createPresenter(deps, readable, options)(item), version: `${item.updatedAt}-${item.seq}` }
}

/** Caches the IDR prefix of each stream: many items come from few streams. */
function createIdrs(registry: Registry): (profile: ProfileRef, item: FoundItem) => string {
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

const SELF_TYPES = JSON.stringify({ [SELF_TYPE]: true })
// JSON text by bits: there are few combinations of types, and every item has one.
const typesJson = new Map<number, string>()

function typesOf({ item: { types: bits }, isSelf }: ShownItem): string {
  if (isSelf) return SELF_TYPES
  let types = typesJson.get(bits)
  if (types === undefined) {
    types = JSON.stringify(presentTypes(typesFromBits(bits)))
    typesJson.set(bits, types)
  }
  return types
}

function guidOf({ guid }: FoundItem): string {
  return guid.length === 0 ? '' : `,"guid":${JSON.stringify(guid.join(' '))}`
}

/** A person's own record has the fields that a contact always has. */
const PERSON = typeBits(['contacts'])

/** Without the card. When a reader of the connector fails, its field is missing or null, and all fields of a person's own record. */
function mapOfItem({ registry, log }: PresentDeps, shown: ShownItem, data: LosslessJson): Record<string, unknown> {
  const { profile, item, isSelf } = shown
  const { service, owner } = profile
  const onFault = (fault: ReaderFault) => noteMapFault(log, service, item.endpoint, fault)
  if (!isSelf) {
    const endpoint = endpointOf(registry, service, item.endpoint)
    return endpoint === undefined ? completeMap({}, item) : itemMap(endpoint, data, item, owner, onFault)
  }
  const person = { nativeId: owner, at: item.at, types: PERSON }
  try {
    return completeMap(selfMap(registry, service, owner, data), person)
  } catch (error) {
    onFault({ field: 'map', message: error instanceof Error ? error.name : 'no error' })
    return completeMap({}, person)
  }
}
