import { setImmediate as pause } from 'node:timers/promises'
import { type FileReader, type FileUpload, TooManyRecords } from '#kit/auth/file.ts'
import type { Registry } from '#kit/connector/registry.ts'
import { isZip, listZip, readZipEntry, ZipError } from '#platform/formats/zip.ts'
import type { Database } from '#platform/postgres/database.ts'
import { createSemaphore } from '#platform/waiting/semaphore.ts'
import { readUploadBytes, replaceUploadBytes, type UploadKey } from '#store/sync/uploads.ts'
import type { UploadProblem } from '../sign-in/upload-problems.ts'

/** Limit (uploads): events and contacts of one uploaded file; a file with more is refused. */
const MAX_RECORDS = 50_000
/** Limit: files and folders of an uploaded archive; one with more is refused. */
const MAX_ENTRIES = 10_000
/** Limit: bytes of all calendars and contacts of an uploaded archive, decompressed; more is refused. */
const MAX_INFLATED_BYTES = 32 * 1024 * 1024
/** Limit: how many times larger than its compressed form a file of an uploaded archive may be; a larger one is refused. */
const MAX_RATIO = 200
/** Small files may compress better. */
const RATIO_FROM_BYTES = 1024 * 1024
/** Limit: uploaded files that one process reads at a time; others wait. */
const MAX_READING = 1
const PAGE_RECORDS = 100
const PAGE_CHARS = 512 * 1024

/** What is in an upload, by endpoint; or why it was refused. */
export type UploadContent =
  | { kind: 'read'; counts: Record<string, number>; skipped: number }
  | { kind: 'refused'; problem: UploadProblem }

const reading = createSemaphore(MAX_READING)

/**
 * Reads an upload and replaces its bytes by pages of records, which a sync stores once the upload belongs to a profile. Runs in a
 * worker process, because anybody may have made the file.
 */
export function readUpload(
  deps: { database: Database; registry: Registry },
  upload: UploadKey,
  service: string,
): Promise<UploadContent> {
  return reading.run(async () => {
    const auth = deps.registry.find(service)?.auth
    if (auth?.kind !== 'file') throw new Error(`${service} takes no files`)
    try {
      const reader = auth.reader(MAX_RECORDS)
      if (!(await addAll(reader, auth, await readUploadBytes(deps.database, upload)))) return refused('format')
      const counts: Record<string, number> = {}
      await deps.database.transaction((tx) => replaceUploadBytes(tx, upload, pagesOf(reader, counts)))
      return Object.keys(counts).length === 0 ? refused('empty') : { kind: 'read', counts, skipped: reader.skipped() }
    } catch (error) {
      if (error instanceof ZipError) return refused(error.fault)
      if (error instanceof TooManyRecords) return refused('too_many')
      throw error
    }
  })
}

const refused = (problem: UploadProblem): UploadContent => ({ kind: 'refused', problem })

/** False when nothing has one of the formats. */
async function addAll(reader: FileReader, auth: FileUpload, bytes: Buffer): Promise<boolean> {
  if (!isZip(bytes)) {
    if (bytes.length > MAX_INFLATED_BYTES) throw new ZipError('too_large', 'the file is too large')
    return addText(reader, textOf(bytes))
  }
  let isKnown = false
  let left = MAX_INFLATED_BYTES
  for (const entry of listZip(bytes, { maxEntries: MAX_ENTRIES })) {
    // Names decide only what is read; nothing is written under them.
    const name = entry.name.toLowerCase()
    if (!auth.endings.some((ending) => name.endsWith(ending))) continue
    if (entry.bytes > RATIO_FROM_BYTES && entry.bytes > entry.compressedBytes * MAX_RATIO)
      throw new ZipError('too_large', 'a file in the archive is compressed too well')
    const content = readZipEntry(bytes, entry, left)
    left -= content.length
    if (await addText(reader, textOf(content))) isKnown = true
    await pause()
  }
  return isKnown
}

/** In steps, between which the worker sends its heartbeat. */
async function addText(reader: FileReader, text: string): Promise<boolean> {
  const steps = reader.add(text)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    await pause()
  }
}

/** Exports are UTF-8, or UTF-16 with a byte order mark. Characters that no text of the database may have are left out. */
function textOf(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  const text = new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes)
  return text.includes('\0') ? text.replaceAll('\0', '') : text
}

/** Pages of one endpoint each. Counts what they have. */
function* pagesOf(reader: FileReader, counts: Record<string, number>): Generator<{ endpoint: string; json: string }> {
  let endpoint = ''
  let page: string[] = []
  let chars = 0
  const take = () => {
    const json = `[${page.join(',')}]`
    page = []
    chars = 0
    return { endpoint, json }
  }
  for (const { endpoint: next, record } of reader.records()) {
    if (page.length > 0 && (next !== endpoint || page.length >= PAGE_RECORDS || chars >= PAGE_CHARS)) yield take()
    endpoint = next
    const text = JSON.stringify(record)
    page.push(text)
    chars += text.length
    counts[next] = (counts[next] ?? 0) + 1
  }
  if (page.length > 0) yield take()
}
