import type { Connection as Client, RowDataPacket } from 'mysql2/promise'
import type { PutRow } from '#model/destination.ts'
import { reasonOf } from '#platform/errors.ts'
import { firstOf } from '#platform/list-ends.ts'
import { partsOf } from '../change-text.ts'
import { type Batch, CheckpointDiffers, DeliveryError, type Erasure } from '../contract.ts'
import { RowRefused } from '../failure.ts'
import { checkpointOf, clean, cleanJson, newestById } from '../rows.ts'
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

/** Limit: bytes of one statement to MySQL; a larger batch goes in several. */
const MAX_STATEMENT_BYTES = 1024 * 1024

export async function ask<Row extends object>(client: Client, sql: string, values: unknown[] = []): Promise<Row[]> {
  const [rows] = await client.query<RowDataPacket[]>({ sql, values })
  // A server may answer a question as if it had been a command.
  return Array.isArray(rows) ? (rows as unknown as Row[]) : []
}

/** Rows and checkpoint in one transaction: what the table says and how far we are never differ. */
export async function writeBatch(client: Client, batch: Batch, nowMs: number, hard: boolean): Promise<void> {
  const { id, account, service, nativeId, name, handle, state, connectedAt } = batch.profile
  await moveCheckpoint(client, { ...batch, profileId: id }, nowMs)
  const texts = [clean(nativeId), clean(name), clean(handle)]
  await ask(client, PUT_PROFILE, [[[id, account, service, ...texts, state, time(connectedAt), null, batch.upTo]]])
  const rows = newestById(batch.rows)
  await putRows(
    client,
    rows.filter((row) => row.op === 'put'),
  )
  const deleted = rows.filter((row) => row.op === 'delete')
  if (deleted.length === 0) return
  const values = deleted.flatMap((row) => [row.id, row.seq, time(row.deletedAt)])
  await ask(client, (hard ? removeItems : deleteItems)(deleted.length), [...values, id])
}

export async function erase(client: Client, erasure: Erasure, nowMs: number): Promise<void> {
  // The checkpoint stays, as a fence: a run that was overtaken must not bring the rows back.
  await moveCheckpoint(client, { ...erasure, from: -1, upTo: -1 }, nowMs)
  for (const statement of ERASE) await ask(client, statement, [erasure.profileId])
}

/** The destination's own word counts: it may have been restored from a backup, and so may we. */
async function moveCheckpoint(
  client: Client,
  { destinationId, profileId, from, upTo, epoch }: Pick<Batch, 'from' | 'upTo'> & Erasure,
  nowMs: number,
): Promise<void> {
  await ask(client, CLAIM_CHECKPOINT, [destinationId, profileId, time(nowMs)])
  const rows = await ask<Record<'seq' | 'epoch' | 'at', unknown>>(client, FIND_CHECKPOINT, [destinationId, profileId])
  const [there] = rows.map(checkpointOf).filter((row) => row.epoch !== 0)
  if ((there?.epoch ?? 0) > epoch || (there?.seq ?? 0) < from) throw new CheckpointDiffers(there)
  await ask(client, PUT_CHECKPOINT, [upTo, epoch, time(nowMs), destinationId, profileId])
}

async function putRows(client: Client, rows: PutRow[]): Promise<void> {
  if (rows.length === 0) return
  const limit = firstOf(await ask<{ bytes: number }>(client, 'select @@max_allowed_packet as bytes'))
  for (const part of partsOf(rows, MAX_STATEMENT_BYTES)) {
    const text = client.format(PUT_ITEMS, [part.map(valuesOf)])
    // The server would cut the connection, and nobody could tell which row was too large.
    if (Buffer.byteLength(text) >= limit.bytes)
      throw new DeliveryError(
        'reject',
        `The row is larger than the server's max_allowed_packet (${limit.bytes} bytes).`,
      )
    await ask(client, text).catch((error: unknown) => {
      // Counted from the first row of the statement.
      const at = / at row (\d+)$/.exec(reasonOf(error))?.[1]
      const named = part[Number(at) - 1]
      throw named === undefined ? error : new RowRefused(named.id, error)
    })
  }
  // Some were older than what is there: only those that are there now have their people written.
  const keys = [firstOf(rows).profile, rows.map(({ id }) => id)]
  const there = await ask<{ id: string; seq: number }>(
    client,
    'select id, seq from tributary_items where profile_id = ? and id in (?)',
    keys,
  )
  if (there.length < rows.length)
    throw new DeliveryError('reject', 'A unique index of the table holds another item in its place.')
  const current = new Map(there.map(({ id, seq }) => [id, seq]))
  await putParticipants(
    client,
    rows.filter(({ id, seq }) => current.get(id) === seq),
  )
}

async function putParticipants(client: Client, rows: PutRow[]): Promise<void> {
  if (rows.length === 0) return
  const keys = [firstOf(rows).profile, rows.map(({ id }) => id)]
  await ask(client, 'delete from tributary_participants where profile_id = ? and item_id in (?)', keys)
  const people = rows.flatMap(({ id, profile, author, participants }) =>
    participants.map((who, position) => [profile, id, position, clean(who), position === 0 && author === who]),
  )
  if (people.length > 0) await ask(client, PUT_PARTICIPANTS, [people])
}

export function valuesOf(row: PutRow): unknown[] {
  const { id, idr, profile, service, endpoint, lat, lng, seq } = row
  const times = [time(row.at), time(row.updatedAt)]
  const texts = [JSON.stringify(row.types), clean(JSON.stringify(row.guid)), clean(row.author) ?? null]
  const documents = [row.oembed, row.map, row.data].map(cleanJson)
  const place = [lat ?? null, lng ?? null]
  return [
    id,
    profile,
    idr,
    service,
    endpoint,
    clean(row.nativeId),
    ...times,
    ...texts,
    ...place,
    ...documents,
    null,
    seq,
  ]
}

// As text, because the driver would turn a Date into this process' own zone.
function time(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').replace('Z', '')
}
