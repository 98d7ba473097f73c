import { statfs } from 'node:fs/promises'

/** Limit: free space on the disk without which the embedded database is not started. */
const MIN_FREE_BYTES = 1024 * 1024
const DISK_FULL = /No space left on device|Disk quota exceeded|Check free disk space/

/** Whether PostgreSQL failed for lack of disk space. Also checks the disk, because a full one may have kept PostgreSQL from logging it. */
export async function isDiskFull(folder: string, output: string): Promise<boolean> {
  if (DISK_FULL.test(output)) return true
  const { bavail, bsize, ffree, files } = await statfs(folder)
  return bavail * bsize < MIN_FREE_BYTES || (files > 0 && ffree === 0)
}
