import { hash } from 'node:crypto'
import type { Connector } from '#kit/connector.ts'
import type { Endpoint } from '#kit/endpoint.ts'
import { type ItemDraft, itemNamer, itemReader } from '#kit/read-item.ts'
import { typeBits } from '#model/types.ts'
import { searchVector } from '#model/words.ts'
import { createYielder } from '#platform/event-loop-yield.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { type ItemRow, type KnownItem, probeItems } from '#store/items/items.ts'
import type { BadRecord } from '#store/sync/quarantine.ts'
import { type Faults, joinFaults, NO_FAULTS } from '#store/sync/reader-faults.ts'
import type { ProfileKey } from '#store/sync/schedule.ts'
import { type LosslessJson, parseStored, stringifyLossless } from '#upstream/body/lossless-json.ts'
import { canonicalText, faultOfText } from './canonical.ts'

/** A stream of one profile, ready to take in records. */
export interface Stream {
  key: ProfileKey
  name: string
  /** How its records were read: stands in front of every hash, so that a reset or another reading shows without looking at the record. */
  stamp: number
  kind: string
  /** What is kept of it until its records are read well. Both only ever become true during a run. */
  aside: Aside
  /** Fields that this run lost, and how often. */
  lost: Map<string, number>
  nameOf: (raw: unknown) => { nativeId: string; id: string }
  read: (raw: unknown) => ItemDraft
  isDeleted: (raw: unknown) => boolean
}

export interface Aside {
  faults: boolean
  quarantine: boolean
}

/** What a page of records means for the store, before anything is written. */
export interface PageDiff {
  /** New and changed items, without their numbers. */
  rows: Omit<ItemRow, 'seq'>[]
  reserialized: { id: string; hash: Buffer }[]
  /** Ids of items that a record says are gone. */
  deleted: string[]
  bad: BadRecord[]
  faults: Faults
  /** Every record that can be stored, where some are in quarantine that it may set free: its item, and its content. */
  good: { id: string; content: string }[]
  /** Ids of everything the page showed, stored or not. */
  seen: string[]
  /** Some records could not even be named, so that the page proves nothing about what is missing. */
  hasUnidentified: boolean
  /** The oldest time among them. */
  oldestAt: number | undefined
}

interface Named {
  id: string
  nativeId: string
  raw: LosslessJson
  text: string
  hash: Buffer
}

/** Limit: bytes of one record; a larger one is quarantined. */
const MAX_ITEM_BYTES = 1024 * 1024
/** Limit: characters of a quarantined record that are kept; a longer one can only be read again at the service. */
const MAX_SAMPLE = 16_000
/** Nobody resets an endpoint so often. */
const VERSION_STEP = 2 ** 16
/** Limit: characters of a participant's id; longer ones fit in no index, are nobody's id, and are left out. */
const MAX_PARTICIPANT = 500

export function openItemStream(
  connector: Pick<Connector, 'service' | 'title'>,
  name: string,
  endpoint: Endpoint,
  owner: string,
  key: ProfileKey,
  epoch: number,
  aside: Aside = { faults: false, quarantine: false },
): Stream {
  return {
    key,
    name,
    kind: endpoint.kind.name,
    aside,
    lost: new Map(),
    stamp: (epoch + VERSION_STEP * (endpoint.kind.version ?? 0)) % 2 ** 32,
    nameOf: itemNamer(connector, name, endpoint, owner),
    read: itemReader(connector, name, endpoint, owner),
    isDeleted: (raw) => {
      try {
        return endpoint.kind.deleted?.(raw) ?? false
      } catch {
        // The reader of the whole record meets the same error and counts it as a fault.
        return false
      }
    },
  }
}

/** Nothing to write. */
export function emptyDiff(): PageDiff {
  return {
    rows: [],
    reserialized: [],
    deleted: [],
    bad: [],
    faults: NO_FAULTS,
    good: [],
    seen: [],
    hasUnidentified: false,
    oldestAt: undefined,
  }
}

/**
 * Reads a page and looks up what is known of it. Only the holder of the fence writes these items, so this needs no
 * transaction; `before` is told which ones are about to be looked up.
 */
export async function diffPage(
  queries: Queries,
  stream: Stream,
  records: LosslessJson[],
  nowMs: number,
  before?: (ids: string[]) => Promise<void>,
): Promise<PageDiff> {
  const { named, deleted, bad, seen, hasUnidentified } = await nameAll(stream, records)
  await before?.([...seen, ...deleted])
  const known = await probeItems(queries, stream.key, [...named.values()])
  const { fresh, reserialized } = await partitionChanges([...named.values()], known)
  let faults = NO_FAULTS
  let oldestAt: number | undefined
  const rows: PageDiff['rows'] = []
  const turn = createYielder()
  for (const item of fresh) {
    await turn()
    const draft = stream.read(item.raw)
    if (draft.faults.length > 0) faults = joinFaults(faults, faultsOf(stream, item, draft))
    rows.push(toRow(item, draft, stream.name, known.get(item.id), nowMs))
  }
  for (const { at } of rows) if (oldestAt === undefined || at < oldestAt) oldestAt = at
  for (const { at } of known.values()) if (oldestAt === undefined || at < oldestAt) oldestAt = at
  const good = stream.aside.quarantine
    ? [...named.values()].map(({ id, hash }) => ({ id, content: contentOf(hash) }))
    : []
  return { rows, reserialized, deleted, bad, faults, good, seen, hasUnidentified, oldestAt }
}

/** Limit: characters of a record's own id beside a fault of its reader; the rest is cut off. */
const MAX_SHOWN_ID = 200

function faultsOf(stream: Stream, { id, nativeId }: Named, { faults }: ItemDraft): Faults {
  for (const { field } of faults) stream.lost.set(field, (stream.lost.get(field) ?? 0) + 1)
  const found = { itemId: id, nativeId: storable(nativeId).slice(0, MAX_SHOWN_ID), kind: stream.kind }
  return { count: faults.length, latest: faults.map((fault) => ({ ...found, ...fault })) }
}

/** Each record under its id, the last one winning; those that say that something is gone; those that nobody could store. */
async function nameAll(stream: Stream, records: LosslessJson[]) {
  const named = new Map<string, Named>()
  const deleted = new Set<string>()
  const seen = new Set<string>()
  const bad: BadRecord[] = []
  let hasUnidentified = false
  const turn = createYielder()
  for (const raw of records) {
    await turn()
    const name = nameOf(stream, raw)
    if (name === undefined) {
      hasUnidentified = true
      bad.push(badRecord(raw, isRecord(raw) ? 'no usable id' : 'not an object'))
      continue
    }
    const { id, nativeId } = name
    if (stream.isDeleted(raw)) {
      deleted.add(id)
      named.delete(id)
      continue
    }
    // Shown is shown: a record that cannot be stored anew is still there, and its older version stays.
    seen.add(id)
    const text = stringifyLossless(raw)
    const refusal = isTooLarge(text) ? 'larger than 1 MB' : faultOfText(text)
    if (refusal !== undefined) {
      bad.push(badRecord(raw, refusal, id))
      continue
    }
    deleted.delete(id)
    named.set(id, { id, nativeId, raw, text, hash: hashOf(stream.stamp, text) })
  }
  return { named, deleted: [...deleted], bad, seen: [...seen], hasUnidentified }
}

function nameOf(stream: Stream, raw: LosslessJson): { nativeId: string; id: string } | undefined {
  if (!isRecord(raw)) return undefined
  try {
    return stream.nameOf(raw)
  } catch {
    // A record without a usable id goes into quarantine, counted and with a sample.
    return undefined
  }
}

export function isRecord(raw: unknown): boolean {
  return raw !== null && typeof raw === 'object' && !Array.isArray(raw)
}

// Most texts are short enough whatever their letters are.
function isTooLarge(text: string): boolean {
  return text.length > MAX_ITEM_BYTES / 3 && Buffer.byteLength(text) > MAX_ITEM_BYTES
}

/** New and changed ones; a hash that differs may only mean that the service wrote the keys in another order. */
async function partitionChanges(items: Named[], known: Map<string, KnownItem>) {
  const fresh: Named[] = []
  const reserialized: Named[] = []
  const turn = createYielder()
  for (const item of items) {
    await turn()
    const before = known.get(item.id)
    if (before?.isSame === true) continue
    if (before?.data !== undefined && isReserialized(before.data, item.raw)) reserialized.push(item)
    else fresh.push(item)
  }
  return { fresh, reserialized }
}

function isReserialized(before: string, raw: LosslessJson): boolean {
  return canonicalText(parseStored(before)) === canonicalText(raw)
}

function toRow(
  item: Named,
  draft: ItemDraft,
  endpoint: string,
  before: KnownItem | undefined,
  nowMs: number,
): PageDiff['rows'][number] {
  return {
    isNew: before === undefined,
    id: item.id,
    endpoint,
    nativeId: storable(item.nativeId),
    at: draft.at ?? before?.at ?? nowMs,
    hash: item.hash,
    types: typeBits(draft.types),
    author: draft.hasAuthor ? storable(draft.participants[0]!) : undefined,
    participants: draft.participants.filter(({ length }) => length <= MAX_PARTICIPANT).map(storable),
    guid: draft.guid.map(storable),
    lat: draft.place?.lat,
    lng: draft.place?.lng,
    words: searchVector(draft.texts),
    oembed: JSON.stringify(draft.card),
    data: item.text,
    bytes: Buffer.byteLength(item.text),
    bytesBefore: before?.bytes ?? 0,
  }
}

function hashOf(stamp: number, text: string): Buffer {
  const bytes = Buffer.allocUnsafe(20)
  bytes.writeUInt32BE(stamp)
  hash('sha1', text, 'buffer').copy(bytes, 4, 0, 16)
  return bytes
}

// PostgreSQL's text has no NUL, and lone surrogates have no UTF-8. The record itself stays as it came: JSON escapes both.
function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed()
}

/** A record that goes into quarantine. `itemId` is the item that it is a version of. */
export function badRecord(raw: unknown, reason: string, itemId?: string): BadRecord {
  const text = textOf(raw)
  if (text === undefined)
    return { id: contentOf(hashOf(0, reason)), itemId, reason, sample: '(cannot be written)', isWhole: false }
  const sample = storable(text.slice(0, MAX_SAMPLE))
  return { id: contentOf(hashOf(0, text)), itemId, reason, sample, isWhole: sample === text }
}

function textOf(raw: unknown): string | undefined {
  try {
    return stringifyLossless(raw as LosslessJson)
  } catch {
    // It is quarantined already, whatever keeps it from being written.
    return undefined
  }
}

/** A hash without its stamp names the content alone. */
function contentOf(hashed: Buffer): string {
  return hashed.toString('hex', 4)
}
