import type { Hook } from '#kit/connector/connector.ts'
import { type LosslessJson, parseStored } from '#upstream/body/lossless-json.ts'
import { canonicalText } from '../diff/canonical.ts'

/** A delivered record or deletion, with the id of its item. */
export interface Delivered {
  id: string
  position: number
  change: { record: LosslessJson } | { deletedAt: number | undefined }
}

export interface Chosen {
  records: LosslessJson[]
  /** Ids of items to delete. */
  deleted: string[]
  /** Deletions of records that are not stored: they are kept, because the record may be delivered later. */
  kept: number[]
  /** Versions could not be compared: the endpoint has to be read again. */
  needsReread: boolean
}

type Current = { record: LosslessJson } | { deletedAt: number | undefined; isStored: boolean } | undefined

/**
 * Decides what of the delivered changes is newer than what is stored. Services repeat and reorder webhooks, so the order of arrival
 * proves nothing: only versions do.
 */
export function chooseRecords(
  versionOf: (record: LosslessJson) => number | undefined,
  stored: Map<string, { record: string } | { deletedAt: number }>,
  delivered: readonly Delivered[],
): Chosen {
  const current = new Map<string, Current>()
  const changed = new Set<string>()
  const kept: number[] = []
  let needsReread = false
  for (const { id, position, change } of delivered) {
    const before = current.has(id) ? current.get(id) : asCurrent(stored.get(id))
    current.set(id, before)
    const decision =
      'record' in change ? decideRecord(versionOf, before, change.record) : decideDelete(versionOf, before, change)
    if (decision === 'reread') needsReread = true
    if (decision === 'keep') kept.push(position)
    if (decision === 'apply' || decision === 'keep')
      current.set(id, 'record' in change ? change : { deletedAt: change.deletedAt, isStored: false })
    if (decision === 'apply') changed.add(id)
  }
  const ends = [...changed].map((id) => ({ id, end: current.get(id) }))
  return {
    records: ends.flatMap(({ end }) => (end !== undefined && 'record' in end ? [end.record] : [])),
    deleted: ends.flatMap(({ id, end }) => (end !== undefined && 'record' in end ? [] : [id])),
    kept,
    needsReread,
  }
}

type Decision = 'apply' | 'skip' | 'reread' | 'keep'

function decideRecord(
  versionOf: (record: LosslessJson) => number | undefined,
  before: Current,
  record: LosslessJson,
): Decision {
  const version = versionOf(record)
  if (version === undefined) return 'reread'
  if (before === undefined) return 'apply'
  if (!('record' in before)) {
    // The time of a stored deletion is ours, which cannot be compared with a time of the service.
    if (before.isStored) return 'reread'
    return before.deletedAt !== undefined && version > before.deletedAt ? 'apply' : 'skip'
  }
  const known = versionOf(before.record)
  if (known === undefined) return 'reread'
  if (version !== known) return version > known ? 'apply' : 'skip'
  return canonicalText(before.record) === canonicalText(record) ? 'skip' : 'reread'
}

function decideDelete(
  versionOf: (record: LosslessJson) => number | undefined,
  before: Current,
  { deletedAt }: { deletedAt: number | undefined },
): Decision {
  if (before === undefined) return 'keep'
  if (!('record' in before)) return before.isStored ? 'skip' : 'keep'
  if (deletedAt === undefined) return 'apply'
  const known = versionOf(before.record)
  if (known === undefined) return 'reread'
  return deletedAt >= known ? 'apply' : 'skip'
}

function asCurrent(stored: { record: string } | { deletedAt: number } | undefined): Current {
  if (stored === undefined) return undefined
  return 'record' in stored ? { record: parseStored(stored.record) } : { ...stored, isStored: true }
}

/** The version of a record, as its connector reads it; undefined where it cannot. */
export function versionReader(hook: Hook, endpoint: string): (record: LosslessJson) => number | undefined {
  return (record) => {
    try {
      const version = hook.version?.(record, endpoint)
      return typeof version === 'number' && Number.isFinite(version) ? version : undefined
    } catch {
      // Without a version the endpoint is read again.
      return undefined
    }
  }
}
