import type { Connection as Client } from 'mysql2/promise'
import type { PutRow } from '#model/apps/destination.ts'
import { reasonOf } from '#platform/errors.ts'
import { firstOf } from '#platform/formats/list-ends.ts'
import { chunksOf } from '../change-text.ts'
import { checkpointFromText } from '../checkpoint.ts'
import { type Batch, CheckpointDiffers, DeliveryError, type Erasure } from '../contract.ts'
import { cleanJson, cleanText, newestById } from '../database-rows.ts'
import { RowRejected } from '../driver-errors.ts'
import { queryRows } from './query.ts'
import {
  CLAIM_CHECKPOINT,
  deleteItems,
  ERASE,
  FIND_CHECKPOINT,
  PUT_CHECKPOINT,
  PUT_ITEMS,
  PUT_PARTICIPANTS,
  PUT_PROFILE,
  removeItems,
} from './tables.ts'

/** Limit: bytes of one statement to MySQL; a larger batch is sent in several. */
const MAX_STATEMENT_BYTES = 1024 * 1024

/** Must run in one transaction, so that rows and checkpoint always agree. */
export async function writeBatch(client: Client, batch: Batch, nowMs: number, hardDeletes: boolean): Promise<void> {
  const { id, account, service, nativeId, name, handle, state, connectedAt } = batch.profile
  await moveCheckpoint(client, { ...batch, profileId: id }, nowMs)
  const texts = [cleanText(nativeId), cleanText(name), cleanText(handle)]
  await queryRows(client, PUT_PROFILE, [[[id, account, service, ...texts, state, time(connectedAt), null, batch.upTo]]])
  const rows = newestById(batch.rows)
  await putRows(
    client,
    rows.filter((row) => row.op === 'put'),
  )
  const deleted = rows.filter((row) => row.op === 'delete')
  if (deleted.length === 0) return
  const values = deleted.flatMap((row) => [row.id, row.seq, time(row.deletedAt)])
  await queryRows(client, (hardDeletes ? removeItems : deleteItems)(deleted.length), [...values, id])
}

export async function erase(client: Client, erasure: Erasure, nowMs: number): Promise<void> {
  // The checkpoint stays as a fence: a run that lost its lease must not write the rows again.
  await moveCheckpoint(client, { ...erasure, from: -1, upTo: -1 }, nowMs)
  for (const statement of ERASE) await queryRows(client, statement, [erasure.profileId])
}

/** Refuses a checkpoint that differs from the expected one: the destination or our database may have been restored. */
async function moveCheckpoint(
  client: Client,
  { destinationId, profileId, from, upTo, epoch }: Pick<Batch, 'from' | 'upTo'> & Erasure,
  nowMs: number,
): Promise<void> {
  await queryRows(client, CLAIM_CHECKPOINT, [destinationId, profileId, time(nowMs)])
  const rows = await queryRows<Record<'seq' | 'epoch' | 'at', unknown>>(client, FIND_CHECKPOINT, [
    destinationId,
    profileId,
  ])
  const [checkpoint] = rows
    .map((row) => checkpointFromText({ seq: row.seq, epoch: row.epoch, updatedAtMs: row.at }))
    .filter((row) => row.epoch !== 0)
  if ((checkpoint?.epoch ?? 0) > epoch || (checkpoint?.seq ?? 0) < from) throw new CheckpointDiffers(checkpoint)
  await queryRows(client, PUT_CHECKPOINT, [upTo, epoch, time(nowMs), destinationId, profileId])
}

async function putRows(client: Client, rows: PutRow[]): Promise<void> {
  if (rows.length === 0) return
  const limit = firstOf(await queryRows<{ bytes: number }>(client, 'select @@max_allowed_packet as bytes'))
  for (const chunk of chunksOf(rows, MAX_STATEMENT_BYTES)) {
    const text = client.format(PUT_ITEMS, [chunk.map(valuesOf)])
    // The server would close the connection without naming the row.
    if (Buffer.byteLength(text) >= limit.bytes)
      throw new DeliveryError(
        'reject',
        `The row is larger than the server's max_allowed_packet (${limit.bytes} bytes).`,
      )
    await queryRows(client, text).catch((error: unknown) => {
      // Rows of a statement are counted from 1.
      const position = / at row (\d+)$/.exec(reasonOf(error))?.[1]
      const named = chunk[Number(position) - 1]
      throw named === undefined ? error : new RowRejected(named.id, error)
    })
  }
  // A row that is older than the one in the table was not written, and neither are its participants.
  const keys = [firstOf(rows).profile, rows.map(({ id }) => id)]
  const stored = await queryRows<{ id: string; seq: number }>(
    client,
    'select id, seq from tributary_items where profile_id = ? and id in (?)',
    keys,
  )
  if (stored.length < rows.length)
    throw new DeliveryError('reject', 'A unique index of the table already has another item with this value.')
  const current = new Map(stored.map(({ id, seq }) => [id, seq]))
  await putParticipants(
    client,
    rows.filter(({ id, seq }) => current.get(id) === seq),
  )
}

async function putParticipants(client: Client, rows: PutRow[]): Promise<void> {
  if (rows.length === 0) return
  const keys = [firstOf(rows).profile, rows.map(({ id }) => id)]
  await queryRows(client, 'delete from tributary_participants where profile_id = ? and item_id in (?)', keys)
  const people = rows.flatMap(({ id, profile, author, participants }) =>
    participants.map((who, position) => [profile, id, position, cleanText(who), position === 0 && author === who]),
  )
  if (people.length > 0) await queryRows(client, PUT_PARTICIPANTS, [people])
}

export function valuesOf(row: PutRow): unknown[] {
  const { id, idr, profile, service, endpoint, lat, lng, seq } = row
  const times = [time(row.at), time(row.updatedAt)]
  const texts = [JSON.stringify(row.types), cleanText(JSON.stringify(row.guid)), cleanText(row.author) ?? null]
  const documents = [row.oembed, row.map, row.data].map(cleanJson)
  const coordinates = [lat ?? null, lng ?? null]
  return [
    id,
    profile,
    idr,
    service,
    endpoint,
    cleanText(row.nativeId),
    ...times,
    ...texts,
    ...coordinates,
    ...documents,
    null,
    seq,
  ]
}

// As text, because the driver would convert a Date to the time zone of this process.
function time(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').replace('Z', '')
}
