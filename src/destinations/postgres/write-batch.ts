import { type Client, DatabaseError } from 'pg'
import type { DeleteRow, PutRow } from '#model/apps/destination.ts'
import { firstOf } from '#platform/formats/list-ends.ts'
import { float8Array, int8Array, textArray } from '#platform/postgres/binary-arrays.ts'
import { checkpointFromText } from '../checkpoint.ts'
import { type Batch, CheckpointDiffers, type Erasure } from '../contract.ts'
import { cleanJson, cleanText, newestById } from '../database-rows.ts'
import { RowRejected } from '../driver-errors.ts'
import {
  DELETE_ITEMS,
  ERASE,
  FIND_CHECKPOINT,
  PUT_CHECKPOINT,
  PUT_ITEMS,
  PUT_PARTICIPANTS,
  PUT_PROFILE,
  REMOVE_ITEMS,
} from './tables.ts'

/** Must run in one transaction, so that rows and checkpoint always agree. */
export async function writeBatch(client: Client, batch: Batch, nowMs: number, hardDeletes: boolean): Promise<void> {
  const { id, account, service, nativeId, name, handle, state, connectedAt } = batch.profile
  await expectCheckpoint(client, { ...batch, profileId: id })
  await putCheckpoint(client, [batch.destinationId, id, batch.upTo, batch.epoch, nowMs])
  await client.query(PUT_PROFILE, [
    id,
    account,
    service,
    cleanText(nativeId),
    cleanText(name),
    cleanText(handle),
    state,
    connectedAt,
    batch.upTo,
  ])
  const rows = newestById(batch.rows)
  await putRows(
    client,
    rows.filter((row) => row.op === 'put'),
  )
  await deleteRows(
    client,
    id,
    rows.filter((row) => row.op === 'delete'),
    hardDeletes,
  )
}

export async function erase(client: Client, erasure: Erasure, nowMs: number): Promise<void> {
  const { destinationId, profileId, epoch } = erasure
  await expectCheckpoint(client, { ...erasure, from: -1 })
  // The checkpoint stays as a fence: a run that lost its lease must not write the rows again.
  await putCheckpoint(client, [destinationId, profileId, -1, epoch, nowMs])
  for (const statement of ERASE) await client.query(statement, [profileId])
}

/** Refuses a checkpoint that differs from the expected one: the destination or our database may have been restored. */
async function expectCheckpoint(
  client: Client,
  { destinationId, profileId, from, epoch }: Pick<Batch, 'from'> & Erasure,
): Promise<void> {
  const found = await client.query<Record<'seq' | 'epoch' | 'at', string>>(FIND_CHECKPOINT, [destinationId, profileId])
  const [checkpoint] = found.rows.map((row) =>
    checkpointFromText({ seq: row.seq, epoch: row.epoch, updatedAtMs: row.at }),
  )
  if ((checkpoint?.epoch ?? 0) > epoch || (checkpoint?.seq ?? 0) < from) throw new CheckpointDiffers(checkpoint)
}

async function putCheckpoint(client: Client, values: (string | number)[]): Promise<void> {
  const { rowCount } = await client.query(PUT_CHECKPOINT, values)
  // Two runs found no row, and the other one inserted it first.
  if (rowCount === 0) throw new CheckpointDiffers(undefined)
}

async function putRows(client: Client, rows: PutRow[]): Promise<void> {
  if (rows.length === 0) return
  const { rows: written } = await client.query<{ id: string }>(PUT_ITEMS, columnsOf(rows)).catch((error: unknown) => {
    const rowId = rejectedRowId(error)
    throw rowId === undefined ? error : new RowRejected(rowId, error)
  })
  const writtenIds = new Set(written.map(({ id }) => id))
  await putParticipants(
    client,
    rows.filter(({ id }) => writtenIds.has(id)),
  )
}

/** The error of a violated constraint contains the row, with its key first. */
function rejectedRowId(error: unknown): string | undefined {
  const detail = error instanceof DatabaseError && error.table === 'tributary_items' ? error.detail : undefined
  return /^Failing row contains \([^,]+, ([^,]+), /.exec(detail ?? '')?.[1]
}

/** As binary arrays: text arrays would escape and unescape every quote of a document. */
export function columnsOf(rows: PutRow[]): Buffer[] {
  const texts = (read: (row: PutRow) => string | undefined) => textArray(rows.map(read))
  const numbers = (read: (row: PutRow) => number) => int8Array(rows.map(read))
  return [
    texts(({ id }) => id),
    texts(({ idr }) => idr),
    texts(({ profile }) => profile),
    texts(({ service }) => service),
    texts(({ endpoint }) => endpoint),
    texts(({ nativeId }) => cleanText(nativeId)),
    numbers(({ at }) => at),
    numbers(({ updatedAt }) => updatedAt),
    texts(({ types }) => types.join(' ')),
    texts(({ guid }) => cleanText(guid.join(' '))),
    texts(({ author }) => cleanText(author)),
    float8Array(rows.map(({ lat }) => lat)),
    float8Array(rows.map(({ lng }) => lng)),
    texts(({ oembed }) => cleanJson(oembed)),
    texts(({ map }) => cleanJson(map)),
    texts(({ data }) => cleanJson(data)),
    numbers(({ seq }) => seq),
  ]
}

async function putParticipants(client: Client, rows: PutRow[]): Promise<void> {
  if (rows.length === 0) return
  const profileId = firstOf(rows).profile
  await client.query('delete from tributary_participants where profile_id = $1 and item_id = any($2)', [
    profileId,
    rows.map(({ id }) => id),
  ])
  const people = rows.flatMap(({ id, author, participants }) =>
    participants.map((who, position) => ({
      id,
      position,
      who: cleanText(who),
      isAuthor: position === 0 && author === who,
    })),
  )
  if (people.length === 0) return
  await client.query(PUT_PARTICIPANTS, [
    textArray(people.map(() => profileId)),
    textArray(people.map(({ id }) => id)),
    people.map(({ position }) => position),
    textArray(people.map(({ who }) => who)),
    people.map(({ isAuthor }) => isAuthor),
  ])
}

async function deleteRows(client: Client, profileId: string, rows: DeleteRow[], hardDeletes: boolean): Promise<void> {
  if (rows.length === 0) return
  const values = [profileId, rows.map(({ id }) => id), rows.map(({ seq }) => seq)]
  if (hardDeletes) await client.query(REMOVE_ITEMS, values)
  else await client.query(DELETE_ITEMS, [...values, rows.map(({ deletedAt }) => deletedAt)])
}
