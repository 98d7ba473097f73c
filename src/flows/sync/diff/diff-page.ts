import type { ItemDraft } from '#kit/connector/read-item.ts'
import { storableText } from '#platform/formats/storable-text.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { createYielder } from '#platform/waiting/event-loop-yield.ts'
import type { ChildItem } from '#store/items/child-items.ts'
import { type ItemRow, type KnownItem, probeItems } from '#store/items/items.ts'
import type { BadRecord } from '#store/sync/quarantine.ts'
import { type Faults, joinFaults, NO_FAULTS } from '#store/sync/reader-faults.ts'
import { type LosslessJson, parseStored, stringifyLossless } from '#upstream/body/lossless-json.ts'
import { badRecord } from './bad-record.ts'
import { canonicalText, structureFault } from './canonical.ts'
import { itemRow, type RecordText } from './item-row.ts'
import { type ItemStream, isObject } from './item-stream.ts'
import { contentHash, hashRecord } from './record-hash.ts'

/** One page of records compared with the store: what there is to write. */
export interface PageDiff {
  /** New and changed items, without their `seq`. */
  rows: Omit<ItemRow, 'seq'>[]
  /** Items whose record is equal but serialized differently. */
  reserialized: { id: string; hash: Buffer }[]
  /** Ids of items whose record says that they are deleted. */
  deleted: string[]
  /** Records that cannot be stored. */
  quarantined: BadRecord[]
  faults: Faults
  /** Storable records, where the endpoint has quarantined ones that they may replace: by item, or by content. */
  releases: { id: string; content: string }[]
  /** Ids of everything the page showed, stored or not. */
  seen: string[]
  /** New links between items of a child endpoint and their parents. */
  links: ChildItem[]
  /** Some records have no usable id, so the page does not prove that any item is deleted. */
  hasUnidentified: boolean
  /** The oldest time among the items. */
  oldestAt: number | undefined
}

interface IdentifiedRecord extends RecordText {
  raw: LosslessJson
}

/** Limit (sync): bytes of one record; a larger one is quarantined. */
const MAX_ITEM_BYTES = 1024 * 1024

/** Nothing to write. */
export function emptyDiff(): PageDiff {
  return {
    rows: [],
    reserialized: [],
    deleted: [],
    quarantined: [],
    faults: NO_FAULTS,
    releases: [],
    seen: [],
    links: [],
    hasUnidentified: false,
    oldestAt: undefined,
  }
}

/** Whether there is nothing to write. Releases matter only where records are quarantined. */
export function isNothing(page: PageDiff): boolean {
  const { rows, reserialized, deleted, quarantined, faults, releases, links } = page
  const lists = [rows, reserialized, deleted, quarantined, releases, links]
  return faults.count === 0 && lists.every((list) => list.length === 0)
}

/**
 * Reads a page and compares it with the stored items. Only the holder of the lease writes these items, so this needs no
 * transaction; `beforeLookup` gets the ids that are about to be looked up. Unchanged records are hashed but not read.
 */
export async function diffPage(
  queries: Queries,
  stream: ItemStream,
  records: LosslessJson[],
  nowMs: number,
  beforeLookup?: (ids: string[]) => Promise<void>,
): Promise<PageDiff> {
  const { identified, deleted, quarantined, seen, hasUnidentified } = await identifyAll(stream, records)
  await beforeLookup?.([...seen, ...deleted])
  const known = await probeItems(queries, stream.profileKey, [...identified.values()], stream.isBeingReread)
  const { changed, reserialized } = await partitionChanges([...identified.values()], known)
  let faults = NO_FAULTS
  let oldestAt: number | undefined
  const rows: PageDiff['rows'] = []
  const yieldToOthers = createYielder()
  for (const record of changed) {
    await yieldToOthers()
    const draft = stream.read(record.raw)
    if (draft.faults.length > 0) faults = joinFaults(faults, faultsOf(stream, record, draft))
    rows.push(itemRow(record, draft, stream.name, known.get(record.id), nowMs))
  }
  for (const { at } of rows) if (oldestAt === undefined || at < oldestAt) oldestAt = at
  for (const { at } of known.values()) if (oldestAt === undefined || at < oldestAt) oldestAt = at
  const releases = stream.hasQuarantined
    ? [...identified.values()].map(({ id, hash }) => ({ id, content: contentHash(hash) }))
    : []
  return { rows, reserialized, deleted, quarantined, faults, releases, seen, links: [], hasUnidentified, oldestAt }
}

/** Limit: characters of a record's own id beside a fault of its reader; the rest is cut off. */
const MAX_SHOWN_ID = 200

export function faultsOf(
  stream: Pick<ItemStream, 'faultsByField' | 'kind'>,
  { id, nativeId }: Pick<RecordText, 'id' | 'nativeId'>,
  { faults }: ItemDraft,
): Faults {
  for (const { field } of faults) stream.faultsByField.set(field, (stream.faultsByField.get(field) ?? 0) + 1)
  const record = { itemId: id, nativeId: storableText(nativeId).slice(0, MAX_SHOWN_ID), kind: stream.kind }
  return { count: faults.length, latest: faults.map((fault) => ({ ...record, ...fault })) }
}

/**
 * Sorts records into those with an id (the last one wins), those that report a deletion and those that cannot be
 * stored.
 */
async function identifyAll(stream: ItemStream, records: LosslessJson[]) {
  const identified = new Map<string, IdentifiedRecord>()
  const deleted = new Set<string>()
  const seen = new Set<string>()
  const quarantined: BadRecord[] = []
  let hasUnidentified = false
  const yieldToOthers = createYielder()
  for (const raw of records) {
    await yieldToOthers()
    const ids = identify(stream, raw)
    if (ids === undefined) {
      hasUnidentified = true
      quarantined.push(badRecord(raw, isObject(raw) ? 'no usable id' : 'not an object'))
      continue
    }
    const { id, nativeId } = ids
    if (stream.isDeleted(raw)) {
      deleted.add(id)
      identified.delete(id)
      continue
    }
    // Also where the record cannot be stored: it exists at the service, so the stored version is not deleted.
    seen.add(id)
    const text = stringifyLossless(raw)
    const fault = isTooLarge(text) ? 'larger than 1 MB' : structureFault(text)
    if (fault !== undefined) {
      quarantined.push(badRecord(raw, fault, id))
      continue
    }
    deleted.delete(id)
    identified.set(id, { id, nativeId, raw, text, hash: hashRecord(stream.hashPrefix, text) })
  }
  return { identified, deleted: [...deleted], quarantined, seen: [...seen], hasUnidentified }
}

function identify(stream: ItemStream, raw: LosslessJson): { nativeId: string; id: string } | undefined {
  if (!isObject(raw)) return undefined
  try {
    return stream.identify(raw)
  } catch {
    // A record without a usable id is quarantined, counted and with a sample.
    return undefined
  }
}

// A character has at most three bytes, so the bytes of most texts need not be counted.
function isTooLarge(text: string): boolean {
  return text.length > MAX_ITEM_BYTES / 3 && Buffer.byteLength(text) > MAX_ITEM_BYTES
}

/** New and changed records; where the hash differs, the service may only have reordered the keys. */
async function partitionChanges(records: IdentifiedRecord[], known: Map<string, KnownItem>) {
  const changed: IdentifiedRecord[] = []
  const reserialized: IdentifiedRecord[] = []
  const yieldToOthers = createYielder()
  for (const record of records) {
    await yieldToOthers()
    const before = known.get(record.id)
    if (before?.isSame === true) continue
    if (before?.data !== undefined && isReserialized(before.data, record.raw)) reserialized.push(record)
    else changed.push(record)
  }
  return { changed, reserialized }
}

function isReserialized(before: string, raw: LosslessJson): boolean {
  return canonicalText(parseStored(before)) === canonicalText(raw)
}
