import { endpointOf, OWN_SERVICE } from '#kit/connector/own-items.ts'
import { type ItemDraft, itemReader } from '#kit/connector/read-item.ts'
import { readerVersion } from '#kit/connector/reader-version.ts'
import type { Registry } from '#kit/connector/registry.ts'
import type { ItemRow } from '#store/items/items.ts'
import type { StoredItem } from '#store/items/reread.ts'
import { type Faults, joinFaults, NO_FAULTS } from '#store/sync/reader-faults.ts'
import { parseStored } from '#upstream/body/lossless-json.ts'
import { faultsOf } from '../diff/diff-page.ts'
import { itemRow } from '../diff/item-row.ts'

/** Items that were read again from their stored records, by endpoint. */
export interface Reread {
  endpoint: string
  /** Items that show something else than before. */
  changed: Omit<ItemRow, 'seq'>[]
  /** Items of which at most the search words differ. */
  unchanged: Omit<ItemRow, 'seq'>[]
  faults: Faults
}

/** Reads the items that an older version has read. Those of endpoints that no loaded connector has stay as they are. */
export function rereadItems(
  registry: Registry,
  { service, owner }: { service: string; owner: string },
  items: readonly StoredItem[],
): Reread[] {
  return [...Map.groupBy(items, ({ endpoint }) => endpoint)].flatMap(([name, stored]) => {
    const endpoint = endpointOf(registry, service, name)
    const connector = service === OWN_SERVICE.service ? OWN_SERVICE : registry.find(service)
    if (endpoint === undefined || connector === undefined) return []
    const version = readerVersion(endpoint)
    const read = itemReader(connector, name, endpoint, owner)
    const reread: Reread = { endpoint: name, changed: [], unchanged: [], faults: NO_FAULTS }
    for (const item of stored.filter(({ hash }) => hash.readUInt16BE() !== version)) {
      const draft = readAgain(read, item)
      if (draft === undefined) continue
      if (draft.faults.length > 0) {
        const stream = { kind: endpoint.kind.name, faultsByField: new Map<string, number>() }
        reread.faults = joinFaults(reread.faults, faultsOf(stream, item, draft))
      }
      const record = { ...item, text: item.data, hash: withVersion(item.hash, version) }
      const bytes = Buffer.byteLength(item.data)
      const row = itemRow(record, draft, name, { at: item.at, bytes }, item.at)
      reread[isShownAlike(row, item) ? 'unchanged' : 'changed'].push(row)
    }
    return [reread]
  })
}

function readAgain(read: (raw: unknown) => ItemDraft, { data }: StoredItem): ItemDraft | undefined {
  try {
    return read(parseStored(data))
  } catch {
    // The connector does not find an id in this record any more: the item stays as it was read before.
    return undefined
  }
}

/** The same record and epoch, read by another version. */
function withVersion(hash: Buffer, version: number): Buffer {
  const changed = Buffer.from(hash)
  changed.writeUInt16BE(version)
  return changed
}

function isShownAlike(row: Omit<ItemRow, 'seq'>, item: StoredItem): boolean {
  return (
    row.types === item.types &&
    row.at === item.at &&
    row.oembed === item.oembed &&
    row.cards === item.cards &&
    row.author === item.author &&
    row.lat === item.lat &&
    row.lng === item.lng &&
    isSameList(row.participants, item.participants) &&
    isSameList(row.guid, item.guid)
  )
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, i) => value === other[i])
}
