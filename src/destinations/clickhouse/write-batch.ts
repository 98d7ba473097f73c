import { setTimeout as sleep } from 'node:timers/promises'
import { chunksOf } from '../change-text.ts'
import { checkpointFromText } from '../checkpoint.ts'
import { type Batch, type Checkpoint, CheckpointDiffers, DeliveryError, type Erasure } from '../contract.ts'
import { newestById } from '../database-rows.ts'
import { type Client, quoted } from './client.ts'
import { itemRow, textOf, wellFormed } from './item-row.ts'

/** Limit: bytes of one insert into ClickHouse; a larger batch is sent in several. */
const MAX_INSERT_BYTES = 4 * 1024 * 1024
/** Limit: milliseconds for removing rows from ClickHouse. Then it fails, and the next attempt waits for the rest. */
const MAX_REMOVE_MS = 50_000
const LOOK_EVERY_MS = 100

/**
 * ClickHouse has no transactions: the checkpoint is read before and written after the rows. Of the rows of an item, the one
 * with the greatest `seq` is current, and of the checkpoints the one with the greatest epoch.
 */
export async function writeBatch(client: Client, batch: Batch, nowMs: number): Promise<void> {
  const { destinationId, profile, rows, upTo, epoch } = batch
  const key = { destinationId, profileId: profile.id }
  await expectCheckpoint(client, { ...key, from: batch.from, epoch })
  for (const chunk of chunksOf(newestById(rows), MAX_INSERT_BYTES))
    await client.insert('tributary_items', chunk.map(itemRow))
  if (batch.includesProfile)
    await client.insert('tributary_profiles', [
      {
        id: profile.id,
        account_id: profile.account,
        service: profile.service,
        native_id: wellFormed(profile.nativeId),
        name: textOf(profile.name),
        handle: textOf(profile.handle),
        state: profile.state,
        connected_at: profile.connectedAt,
        epoch,
      },
    ])
  await putCheckpoint(client, key, { seq: upTo, epoch, updatedAtMs: nowMs })
  // Erased during this write: the last writer removes everything again.
  const checkpoint = await findCheckpoint(client, key)
  if (checkpoint?.seq !== -1) return
  await removeProfile(client, profile.id)
  throw new CheckpointDiffers(checkpoint)
}

export async function erase(client: Client, erasure: Erasure, nowMs: number): Promise<void> {
  const { profileId, epoch } = erasure
  await expectCheckpoint(client, { ...erasure, from: -1 })
  // First the fence: a run that lost its lease must not write the rows again.
  await putCheckpoint(client, erasure, { seq: -1, epoch, updatedAtMs: nowMs })
  await removeProfile(client, profileId)
}

type Key = Omit<Erasure, 'epoch'>

async function expectCheckpoint(client: Client, { from, epoch, ...key }: Pick<Batch, 'from'> & Erasure): Promise<void> {
  const checkpoint = await findCheckpoint(client, key)
  if ((checkpoint?.epoch ?? 0) > epoch || (checkpoint?.seq ?? 0) < from) throw new CheckpointDiffers(checkpoint)
}

async function findCheckpoint(client: Client, { destinationId, profileId }: Key): Promise<Checkpoint | undefined> {
  const [row] = await client.rows(`select seq, epoch, updated_at from tributary_checkpoint final
where destination_id = ${quoted(destinationId)} and profile_id = ${quoted(profileId)}`)
  if (row === undefined) return undefined
  return checkpointFromText({ seq: row['seq'], epoch: row['epoch'], updatedAtMs: row['updated_at'] })
}

async function putCheckpoint(
  client: Client,
  { destinationId, profileId }: Key,
  { seq, epoch, updatedAtMs }: Checkpoint,
): Promise<void> {
  await client.insert('tributary_checkpoint', [
    { destination_id: destinationId, profile_id: profileId, seq, epoch, updated_at: updatedAtMs },
  ])
}

async function removeProfile(client: Client, profileId: string): Promise<void> {
  await removeRows(client, 'tributary_items', `profile_id = ${quoted(profileId)}`, profileId)
  await removeRows(client, 'tributary_profiles', `id = ${quoted(profileId)}`, profileId)
}

/** Removes rows and waits until they are gone from the disk. `mark` is a text in the condition that tells it from others. */
export async function removeRows(client: Client, table: string, condition: string, mark: string): Promise<void> {
  await client.run(`alter table ${table} delete where ${condition}`)
  const untilMs = performance.now() + (client.waitMs ?? MAX_REMOVE_MS)
  const pending = `select count() as n from system.mutations where database = currentDatabase() and table = ${quoted(table)}
and is_done = 0 and position(command, ${quoted(mark)}) > 0`
  for (;;) {
    const [row] = await client.rows(pending)
    if (Number(row?.['n']) === 0) return
    if (performance.now() > untilMs)
      throw new DeliveryError('retry', 'There was not enough time to remove everything; the next attempt continues.')
    await sleep(LOOK_EVERY_MS)
  }
}
