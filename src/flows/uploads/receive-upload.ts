import type { Clock } from '#platform/clock.ts'
import { newShardId } from '#platform/crypto/ids.ts'
import type { Database } from '#platform/postgres/database.ts'
import { deleteUpload, insertUpload, insertUploadBytes, type UploadKey } from '#store/sync/uploads.ts'
import { UploadRefused } from './upload-refused.ts'

/** Limit (uploads): bytes of an uploaded file; a larger one is refused. */
export const MAX_UPLOAD_BYTES = 32 * 1024 * 1024
/** Bytes that are written at once; as many wait in memory. */
const PART_BYTES = 512 * 1024
/** Longer than a sign-in may take after the upload: reading the file, confirming, exchanging the code. */
const UPLOAD_TTL_MS = 3_600_000

/** A file as it arrives. */
export interface IncomingFile {
  /** As the sender named it; known once the file begins. */
  name: string | undefined
  chunks: AsyncIterable<Buffer>
}

/**
 * Stores a file as it arrives, no faster than the database takes it. If it breaks off or is too large, nothing of it stays; after a
 * crash it is purged when it expires.
 */
export async function receiveUpload(
  { database, clock }: { database: Database; clock: Clock },
  { shard, appId }: { shard: number; appId: string },
  { chunks }: IncomingFile,
): Promise<UploadKey & { bytes: number }> {
  const upload = { shard, id: newShardId(shard, clock.now()) }
  await insertUpload(database, upload, appId, clock.now() + UPLOAD_TTL_MS)
  try {
    let [bytes, part, waitingBytes] = [0, 0, 0]
    let waiting: Buffer[] = []
    const write = async () => {
      await insertUploadBytes(database, upload, part, Buffer.concat(waiting))
      part += 1
      waiting = []
      waitingBytes = 0
    }
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > MAX_UPLOAD_BYTES) throw new UploadRefused('too_large')
      waiting.push(chunk)
      waitingBytes += chunk.length
      if (waitingBytes >= PART_BYTES) await write()
    }
    if (waitingBytes > 0) await write()
    if (bytes === 0) throw new UploadRefused('missing')
    return { ...upload, bytes }
  } catch (error) {
    await deleteUpload(database, upload)
    throw error
  }
}
