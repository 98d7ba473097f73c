import type { PoolClient } from 'pg'
import type { DeleteRow, PutRow } from '#model/destination.ts'
import { type Batch, CheckpointDiffers, type Erasure } from '../destination.ts'
import {
  DELETE_ITEMS,
  ERASE,
  FIND_CHECKPOINT,
  PUT_CHECKPOINT,
  PUT_ITEMS,
  PUT_PARTICIPANTS,
  PUT_PROFILE,
} from './postgres-tables.ts'
import { clean, cleanJson, newestById } from './rows.ts'

/** Rows and checkpoint in one transaction: what the table says and how far we are never differ. */
export async function writeBatch(client: PoolClient, batch: Batch, nowMs: number): Promise<void> {
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
  )
}

export async function erase(client: PoolClient, erasure: Erasure, nowMs: number): Promise<void> {
  const { destinationId, profileId, epoch } = erasure
  await expectCheckpoint(client, { ...erasure, from: -1 })
  // The checkpoint stays, as a fence: a run that was overtaken must not bring the rows back.
  await putCheckpoint(client, [destinationId, profileId, -1, epoch, nowMs])
  for (const statement of ERASE) await client.query(statement, [profileId])
}

/** The destination's own word counts: it may have been restored from a backup, and so may we. */
async function expectCheckpoint(
  client: PoolClient,
  { destinationId, profileId, from, epoch }: Pick<Batch, 'from'> & Erasure,
): Promise<void> {
  const found = await client.query<Record<'seq' | 'epoch' | 'at', string>>(FIND_CHECKPOINT, [destinationId, profileId])
  const [there] = found.rows.map((row) => ({
    seq: Number(row.seq),
    epoch: Number(row.epoch),
    updatedAtMs: Number(row.at),
  }))
  if ((there?.epoch ?? 0) > epoch || (there?.seq ?? 0) < from) throw new CheckpointDiffers(there)
}

async function putCheckpoint(client: PoolClient, values: (string | number)[]): Promise<void> {
  const { rowCount } = await client.query(PUT_CHECKPOINT, values)
  // Both found no row, and the other run was quicker.
  if (rowCount === 0) throw new CheckpointDiffers(undefined)
}

async function putRows(client: PoolClient, rows: PutRow[]): Promise<void> {
  if (rows.length === 0) return
  const values = rows.map(valuesOf)
  const columns = values[0]!.map((_, column) => values.map((row) => row[column]))
  const { rows: written } = await client.query<{ id: string }>(PUT_ITEMS, columns)
  const fresh = new Set(written.map(({ id }) => id))
  if (fresh.size > 0)
    await putParticipants(
      client,
      rows.filter(({ id }) => fresh.has(id)),
    )
}

function valuesOf(row: PutRow): unknown[] {
  const { id, idr, profile, service, endpoint, at, updatedAt, types, lat, lng, seq } = row
  const texts = [types.join(' '), clean(row.guid.join(' ')), clean(row.author) ?? null]
  const documents = [row.oembed, row.map, row.data].map(cleanJson)
  const place = [lat ?? null, lng ?? null]
  return [
    id,
    idr,
    profile,
    service,
    endpoint,
    clean(row.nativeId),
    at,
    updatedAt,
    ...texts,
    ...place,
    ...documents,
    seq,
  ]
}

async function putParticipants(client: PoolClient, rows: PutRow[]): Promise<void> {
  const profileId = rows[0]!.profile
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
    people.map(() => profileId),
    people.map(({ id }) => id),
    people.map(({ position }) => position),
    people.map(({ who }) => who),
    people.map(({ isAuthor }) => isAuthor),
  ])
}

async function deleteRows(client: PoolClient, profileId: string, rows: DeleteRow[]): Promise<void> {
  if (rows.length === 0) return
  await client.query(DELETE_ITEMS, [
    rows.map(({ id }) => id),
    rows.map(({ seq }) => seq),
    rows.map(({ goneAt }) => goneAt),
    profileId,
  ])
}
