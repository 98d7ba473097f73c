import { constants } from 'node:fs'
import { copyFile, type FileHandle, open, stat, truncate } from 'node:fs/promises'
import { codeOf } from '../errors.ts'

/** Limit: bytes of the embedded database's log; then a new one begins, and one old one is kept. */
const MAX_BYTES = 10 * 1024 * 1024
const TAIL_BYTES = 4096
const TAIL_LINES = 15

/** Copies the log aside and truncates it; safe while PostgreSQL runs, because it appends. */
export async function rotateLog(path: string): Promise<void> {
  if ((await sizeOf(path)) <= MAX_BYTES) return
  await copyFile(path, `${path}.1`)
  await truncate(path, 0)
}

/** Does not follow links, because root may open it in a folder of another user. */
export async function openLog(path: string): Promise<FileHandle> {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants
  return open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
}

export async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0
    throw error
  }
}

/** The last lines written since `fromByte`. */
export async function logTail(path: string, fromByte: number): Promise<string> {
  const size = await sizeOf(path)
  const from = Math.max(fromByte, size - TAIL_BYTES)
  if (size <= from) return ''
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from)
    return lastLines(buffer.toString('utf8', 0, bytesRead))
  } finally {
    await file.close()
  }
}

export function lastLines(text: string): string {
  return text.trim().split('\n').slice(-TAIL_LINES).join('\n')
}
