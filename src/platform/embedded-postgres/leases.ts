import { randomBytes } from 'node:crypto'
import { lchownSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type FileLock, tryFileLock } from '../waiting/file-lock.ts'

/** A use of the database: one locked file per open handle. The name begins with the process id, for people who list the folder. */
export interface Lease {
  name: string
  release(): void
}

interface Owner {
  uid: number
  gid: number
}

/** `owner` is set when root works in a folder of another user, who must be able to test the lock later. */
export function takeLease(folder: string, owner: Owner | undefined): Lease {
  const name = `${process.pid}-${randomBytes(6).toString('hex')}`
  const path = join(folder, name)
  const lock = tryFileLock(path)
  if (lock === undefined) throw new Error(`The new lease ${path} is locked by another process.`)
  if (owner !== undefined) lchownSync(path, owner.uid, owner.gid)
  return {
    name,
    release() {
      rmSync(path, { force: true })
      lock.release()
    },
  }
}

/** Names of the leases of running processes; removes those of dead ones. Call only under the lock. */
export function activeLeases(folder: string): string[] {
  return readdirSync(folder).filter((name) => {
    const path = join(folder, name)
    const lock = tryLease(path)
    if (lock === 'held') return true
    rmSync(path, { force: true })
    lock.release()
    return false
  })
}

function tryLease(path: string): FileLock | 'held' {
  try {
    return tryFileLock(path) ?? 'held'
  } catch {
    // A lease that cannot be tested counts as held, because stopping a database in use is the worse mistake.
    return 'held'
  }
}
