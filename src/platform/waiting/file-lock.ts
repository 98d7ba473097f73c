import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

export interface FileLock {
  release(): void
}

const SQLITE_BUSY = 5
const RETRY_MS = 20

// A handle that is garbage-collected releases its lock, so handles are referenced here while they are locked.
const lockedHandles = new Set<DatabaseSync>()

/**
 * Locks a file exclusively; undefined when another process or handle has locked it.
 *
 * SQLite is the only way to a kernel file lock in Node without native code. The kernel releases the lock when the process ends,
 * however it ends, so there are no stale locks and no reused process ids to detect. The file stays empty, because the
 * transaction that holds the lock is never committed. Nothing else in the process may open the file: closing any
 * descriptor of it would release the lock.
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
  lockedHandles.add(handle)
  return {
    release() {
      if (lockedHandles.delete(handle)) handle.close()
    },
  }
}

/** Waits for the lock. `onWait` is called at every try with the time waited so far, and may throw to give up. */
export async function acquireFileLock(path: string, onWait: (waitedMs: number) => void): Promise<FileLock> {
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
