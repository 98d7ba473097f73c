import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { codeOf } from '#platform/errors.ts'

/** A database whose tables are on a file system of its own, which can be filled up. */
export interface SmallDisk {
  url: string
  fill: () => void
  makeRoom: () => void
  remove: () => Promise<void>
}

/**
 * Creates one on a server that no other test uses; or returns why not: mounting is not permitted, or the server is
 * remote.
 */
export async function smallDisk(serverUrl: string, megabytes: number): Promise<SmallDisk | string> {
  if (process.getuid?.() !== 0) return 'needs root, to mount a small file system'
  const client = new Client({ connectionString: serverUrl })
  await client.connect()
  const folder = mkdtempSync(join(tmpdir(), 'tributary-small-'))
  chmodSync(folder, 0o755)
  const name = `tributary_test_small_${process.pid}`
  const filler = join(folder, 'filler')
  const remove = async () => {
    rmSync(filler, { force: true })
    await client.query(`drop database if exists ${name} with (force)`)
    await client.query(`drop tablespace if exists ${name}`)
    await client.end()
    execFileSync('umount', ['-l', folder], { stdio: 'ignore' })
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'pipe' })
  } catch {
    await client.end()
    rmSync(folder, { recursive: true })
    return 'no file system can be mounted here'
  }
  try {
    // The server creates its files itself, so its user must own the folder.
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const { uid, gid } = statSync(`/proc/${rows[0]!.pid}`)
    chownSync(folder, uid, gid)
    await client.query(`create tablespace ${name} location '${folder}'`)
    await client.query(`create database ${name} tablespace ${name}`)
  } catch (error) {
    await remove()
    return `the server cannot use a folder of this machine: ${String(error)}`
  }
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return {
    url: url.href,
    fill: () => {
      const { bavail, bsize } = statfsSync(folder)
      try {
        writeFileSync(filler, Buffer.alloc(bavail * bsize))
      } catch (error) {
        // The server used some of the space meanwhile: the disk is as full as it should be.
        if (codeOf(error) !== 'ENOSPC') throw error
      }
    },
    makeRoom: () => rmSync(filler, { force: true }),
    remove,
  }
}
