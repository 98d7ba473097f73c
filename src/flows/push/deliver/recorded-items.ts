import type { Batch } from '#destinations/contract.ts'
import type { ChangedItem, Tombstone } from '#store/items/changes.ts'
import { recordedAmong, recordItems } from '#store/push/delivered-items.ts'
import { type Cursor, type Recording, setRecording } from '#store/push/leases.ts'
import type { DeliverDeps } from '../deps.ts'
import type { DeliveryRun } from './delivery-run.ts'

// An item that a filter's parameters exclude may have matched earlier. Where a delete is a message, it is sent only for items
// that were delivered, so these are recorded.

/** Decides what this run knows about the items that the destination has, and stores it. */
export async function startRecording(
  { database, connections }: DeliverDeps,
  { destination, filter }: DeliveryRun,
  cursor: Cursor,
): Promise<Cursor> {
  const isNeeded = !connections.kindOf(destination.kind).takesUnknownDeletes && filter.some(({ narrows }) => narrows)
  const recording = isNeeded ? recordingOf(cursor) : 'none'
  if (recording === cursor.recording) return cursor
  await setRecording(database, cursor, recording)
  return { ...cursor, recording }
}

function recordingOf({ recording, epoch, seq }: Cursor): Recording {
  // The first run of all: the destination has nothing.
  if (epoch === 1) return 'complete'
  // Everything is delivered again, and with it everything that the destination has.
  return recording === 'none' && seq === 0 ? 'partial' : recording
}

/** Everything is delivered: the destination has only items that are recorded. */
export async function completeRecording({ database }: DeliverDeps, cursor: Cursor): Promise<void> {
  if (cursor.recording === 'partial') await setRecording(database, cursor, 'complete')
}

/** The deleted and no longer matching items that the destination may have; undefined when that is not known. */
export async function itemsToRetract(
  { database }: DeliverDeps,
  cursor: Cursor,
  changes: { items: ChangedItem[]; tombstones: Tombstone[] },
  wanted: Set<string>,
): Promise<Set<string> | undefined> {
  if (cursor.recording !== 'complete') return undefined
  const unwanted = changes.items.filter(({ id }) => !wanted.has(id))
  return recordedAmong(
    database,
    cursor,
    [...unwanted, ...changes.tombstones].map(({ id }) => id),
  )
}

/** Records the items of a batch that is about to be written. */
export async function recordBatch({ database }: DeliverDeps, cursor: Cursor, { rows }: Batch): Promise<void> {
  if (cursor.recording === 'none') return
  const ids = rows.filter(({ op }) => op === 'put').map(({ id }) => id.slice(0, id.indexOf('_')))
  await recordItems(database, cursor, ids)
}
