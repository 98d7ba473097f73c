import { type Client, DatabaseError } from 'pg'
import type { DeleteRow, PutRow } from '#model/destination.ts'
import { firstOf } from '#platform/list-ends.ts'
import { float8Array, int8Array, textArray } from '#platform/postgres/binary-arrays.ts'
import { type Batch, CheckpointDiffers, type Erasure } from '../contract.ts'
import { RowRefused } from '../failure.ts'
import { checkpointOf, clean, cleanJson, newestById } from '../rows.ts'
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

/** Rows and checkpoint in one transaction: what the table says and how far we are never differ. */
export async function writeBatch(client: Client, batch: Batch, nowMs: number, hard: boolean): Promise<void> {
  const { id, account, service, nativeId, name, handle, state, connectedAt } = batch.profile
  await expectCheckpoint(client, { ...batch, profileId: id })
  await putCheckpoint(client, [batch.destinationId, id, batch.upTo, batch.epoch, nowMs])
  await client.query(PUT_PROFILE, [
    id,
    account,
    service,
    clean(nativeId),
    clean(name),
    clean(handle),
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
    hard,
  )
}

export async function erase(client: Client, erasure: Erasure, nowMs: number): Promise<void> {
  const { destinationId, profileId, epoch } = erasure
  await expectCheckpoint(client, { ...erasure, from: -1 })
  // The checkpoint stays, as a fence: a run that was overtaken must not bring the rows back.
  await putCheckpoint(client, [destinationId, profileId, -1, epoch, nowMs])
  for (const statement of ERASE) await client.query(statement, [profileId])
}

/** The destination's own word counts: it may have been restored from a backup, and so may we. */
async function expectCheckpoint(
  client: Client,
  { destinationId, profileId, from, epoch }: Pick<Batch, 'from'> & Erasure,
): Promise<void> {
  const found = await client.query<Record<'seq' | 'epoch' | 'at', string>>(FIND_CHECKPOINT, [destinationId, profileId])
  const [there] = found.rows.map(checkpointOf)
  if ((there?.epoch ?? 0) > epoch || (there?.seq ?? 0) < from) throw new CheckpointDiffers(there)
}

async function putCheckpoint(client: Client, values: (string | number)[]): Promise<void> {
  const { rowCount } = await client.query(PUT_CHECKPOINT, values)
  // Both found no row, and the other run was quicker.
  if (rowCount === 0) throw new CheckpointDiffers(undefined)
}

async function putRows(client: Client, rows: PutRow[]): Promise<void> {
  if (rows.length === 0) return
  const { rows: written } = await client.query<{ id: string }>(PUT_ITEMS, columnsOf(rows)).catch((error: unknown) => {
    const rowId = failingRow(error)
    throw rowId === undefined ? error : new RowRefused(rowId, error)
  })
  const fresh = new Set(written.map(({ id }) => id))
  await putParticipants(
    client,
    rows.filter(({ id }) => fresh.has(id)),
  )
}

/** A broken constraint shows the row it is about, and its key stands first in the table. */
function failingRow(error: unknown): string | undefined {
  const detail = error instanceof DatabaseError && error.table === 'tributary_items' ? error.detail : undefined
  return /^Failing row contains \([^,]+, ([^,]+), /.exec(detail ?? '')?.[1]
}

/** In the binary spelling: in the other every quote of a document would be escaped here and unescaped there. */
export function columnsOf(rows: PutRow[]): Buffer[] {
  const texts = (read: (row: PutRow) => string | undefined) => textArray(rows.map(read))
  const numbers = (read: (row: PutRow) => number) => int8Array(rows.map(read))
  return [
    texts(({ id }) => id),
    texts(({ idr }) => idr),
    texts(({ profile }) => profile),
    texts(({ service }) => service),
    texts(({ endpoint }) => endpoint),
    texts(({ nativeId }) => clean(nativeId)),
    numbers(({ at }) => at),
    numbers(({ updatedAt }) => updatedAt),
    texts(({ types }) => types.join(' ')),
    texts(({ guid }) => clean(guid.join(' '))),
    texts(({ author }) => clean(author)),
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
      who: clean(who),
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

async function deleteRows(client: Client, profileId: string, rows: DeleteRow[], hard: boolean): Promise<void> {
  if (rows.length === 0) return
  const values = [profileId, rows.map(({ id }) => id), rows.map(({ seq }) => seq)]
  if (hard) await client.query(REMOVE_ITEMS, values)
  else await client.query(DELETE_ITEMS, [...values, rows.map(({ deletedAt }) => deletedAt)])
}
