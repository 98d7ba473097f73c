import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

export interface FileLock {
  release(): void
}

const SQLITE_BUSY = 5
const RETRY_MS = 20

// A handle that is garbage-collected gives up its lock, so everything held is also held here.
const held = new Set<DatabaseSync>()

/**
 * Locks a file for this process alone, or answers undefined when another holder has it.
 *
 * SQLite is the one way to a kernel file lock in Node without native code: the kernel drops it with the process, however
 * that dies, so there is no stale holder to detect and no reused process id to be fooled by. The file stays empty,
 * since the transaction that holds the lock is never committed. Nothing else in the process may open the file:
 * closing any descriptor of it would drop the lock.
 */
export function tryFileLock(path: string): FileLock | undefined {
  const handle = new DatabaseSync(path, { timeout: 0 })
  try {
    handle.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    handle.close()
    if (sqliteCode(error) === SQLITE_BUSY) return undefined
    throw error
  }
  held.add(handle)
  return {
    release() {
      if (held.delete(handle)) handle.close()
    },
  }
}

/** Waits until the lock is ours. `onWait` hears how long it has waited, at every try, and may throw to give up. */
export async function fileLock(path: string, onWait: (waitedMs: number) => void): Promise<FileLock> {
  const beganAt = performance.now()
  for (;;) {
    const lock = tryFileLock(path)
    if (lock !== undefined) return lock
    onWait(performance.now() - beganAt)
    await sleep(RETRY_MS)
  }
}

function sqliteCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined
}
