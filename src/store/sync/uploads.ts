import { type Queries, statement } from '#platform/postgres/database.ts'
import type { Batch } from '../delete-in-batches.ts'
import type { ProfileKey } from '../keys/profile-key.ts'

/** An uploaded file. Its id begins with its shard, which is that of the profile it is for. */
export interface UploadKey {
  shard: number
  id: string
}

/** The bytes as they arrived, before they are read. */
const BYTES = ''

const isUpload = 'shard = $shard and id = $id'
const ofUpload = 'shard = $shard and upload_id = $id'
const insert = statement(
  'upload-insert',
  `insert into upload (shard, id, app_id, expires_at) values ($shard, $id, $appId, $expiresAt)`,
)
const insertPart = statement(
  'upload-part-insert',
  `insert into upload_part (shard, upload_id, stream, part, content) values ($shard, $id, $stream, $part, $content)`,
)
const listBytes = statement(
  'upload-bytes',
  `select content from upload_part where ${ofUpload} and stream = $stream order by part`,
)
const removeStream = statement('upload-stream-delete', `delete from upload_part where ${ofUpload} and stream = $stream`)
const removeParts = statement('upload-parts-delete', `delete from upload_part where ${ofUpload}`)
const remove = statement('upload-delete', `delete from upload where ${isUpload}`)
// The caller holds the lock of the account, so positions are assigned in the order of commits.
const attach = statement(
  'upload-attach',
  `update upload set profile_id = $profileId, expires_at = null,
     position = coalesce((select max(u.position) from upload u where u.shard = $shard and u.profile_id = $profileId), 0) + 1
   where ${isUpload} and (profile_id is null or profile_id = $profileId)`,
)
const nextPart = statement(
  'upload-next-part',
  `select u.position, p.part, p.content from upload u
   join upload_part p on p.shard = u.shard and p.upload_id = u.id and p.stream = $stream
   where u.shard = $shard and u.profile_id = $profileId and (u.position, p.part) > ($position, $part)
   order by u.position, p.part limit 1`,
)
const removeRead = statement(
  'upload-part-read',
  `delete from upload_part p using upload u
   where u.shard = $shard and u.profile_id = $profileId and p.shard = u.shard and p.upload_id = u.id
     and p.stream = $stream and (u.position, p.part) <= ($position, $part)`,
)
const removeEmpty = statement(
  'upload-delete-empty',
  `delete from upload u where u.shard = $shard and u.profile_id = $profileId
     and not exists (select 1 from upload_part p where p.shard = u.shard and p.upload_id = u.id)`,
)
const eraseParts = statement(
  'upload-erase-parts',
  `delete from upload_part p using upload u
   where u.shard = $shard and u.profile_id = $profileId and p.shard = u.shard and p.upload_id = u.id`,
)
const erase = statement('upload-erase', 'delete from upload where shard = $shard and profile_id = $profileId')
const listExpired = statement(
  'upload-expired',
  'select shard, id from upload where expires_at < $nowMs order by expires_at limit 100',
)
const listOfApp = statement('upload-of-app', 'select shard, id from upload where app_id = $appId limit 100')

/** An upload of which nothing has arrived yet. It is deleted after `expiresAt` unless it is attached to a profile. */
export async function insertUpload(
  queries: Queries,
  { shard, id }: UploadKey,
  appId: string,
  expiresAt: number,
): Promise<void> {
  await queries.count(insert.with({ shard, id, appId, expiresAt }))
}

export async function insertUploadBytes(
  queries: Queries,
  { shard, id }: UploadKey,
  part: number,
  content: Buffer,
): Promise<void> {
  await queries.count(insertPart.with({ shard, id, stream: BYTES, part, content }))
}

export async function readUploadBytes(queries: Queries, { shard, id }: UploadKey): Promise<Buffer> {
  const rows = await queries.rows<{ content: Buffer }>(listBytes.with({ shard, id, stream: BYTES }))
  return Buffer.concat(rows.map(({ content }) => content))
}

/** Replaces the bytes by the records that were read from them; call it in a transaction. */
export async function replaceUploadBytes(
  tx: Queries,
  { shard, id }: UploadKey,
  pages: Iterable<{ endpoint: string; json: string }>,
): Promise<void> {
  await tx.count(removeStream.with({ shard, id, stream: BYTES }))
  let part = 0
  for (const { endpoint, json } of pages) {
    part += 1
    await tx.count(insertPart.with({ shard, id, stream: endpoint, part, content: Buffer.from(json) }))
  }
}

export async function deleteUpload(queries: Queries, { shard, id }: UploadKey): Promise<void> {
  await queries.count(removeParts.with({ shard, id }))
  await queries.count(remove.with({ shard, id }))
}

/** Call it while the account is locked. False when the upload has expired, or belongs to another profile. */
export async function attachUpload(
  tx: Queries,
  { shard, id }: UploadKey,
  { profileId }: Pick<ProfileKey, 'profileId'>,
): Promise<boolean> {
  return (await tx.count(attach.with({ shard, id, profileId }))) > 0
}

/** Where a page of records is: the position of its upload, and its number there. */
export interface UploadPosition {
  position: number
  part: number
}

/** The page of records after this position; undefined at the end. */
export async function findUploadPage(
  queries: Queries,
  { shard, profileId }: ProfileKey,
  stream: string,
  { position, part }: UploadPosition,
): Promise<(UploadPosition & { json: string }) | undefined> {
  const values = { shard, profileId, stream, position, part }
  const [row] = await queries.rows<{ position: number; part: number; content: Buffer }>(nextPart.with(values))
  return row && { position: row.position, part: row.part, json: row.content.toString() }
}

/** Deletes what an endpoint has read and stored, up to this position. */
export async function removeReadUploads(
  queries: Queries,
  { shard, profileId }: ProfileKey,
  stream: string,
  { position, part }: UploadPosition,
): Promise<void> {
  await queries.count(removeRead.with({ shard, profileId, stream, position, part }))
  await queries.count(removeEmpty.with({ shard, profileId }))
}

export async function eraseUploads(tx: Queries, { shard, profileId }: ProfileKey): Promise<void> {
  await tx.count(eraseParts.with({ shard, profileId }))
  await tx.count(erase.with({ shard, profileId }))
}

/** Deletes some uploads that nobody took, of any shard. */
export async function purgeUploads(queries: Queries, nowMs: number): Promise<Batch> {
  const found = await queries.rows<UploadKey>(listExpired.with({ nowMs }))
  for (const upload of found) await deleteUpload(queries, upload)
  return { done: found.length, more: found.length > 0 }
}

/** Of an app that is being deleted. */
export async function removeUploadsOfApp(queries: Queries, appId: string): Promise<number> {
  for (let total = 0; ; ) {
    const found = await queries.rows<UploadKey>(listOfApp.with({ appId }))
    for (const upload of found) await deleteUpload(queries, upload)
    total += found.length
    if (found.length === 0) return total
  }
}
