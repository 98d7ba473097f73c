import { statfs } from 'node:fs/promises'

/** Limit: free space on the disk without which the embedded database is not started. */
const MIN_FREE_BYTES = 1024 * 1024
const WORDS = /No space left on device|Disk quota exceeded|Check free disk space/

/** Whether PostgreSQL failed for want of space: it may have had none left to write that into its log. */
export async function isDiskFull(folder: string, output: string): Promise<boolean> {
  if (WORDS.test(output)) return true
  const { bavail, bsize, ffree, files } = await statfs(folder)
  return bavail * bsize < MIN_FREE_BYTES || (files > 0 && ffree === 0)
}
