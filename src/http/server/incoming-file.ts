import type { IncomingMessage } from 'node:http'
import { PassThrough, type Readable } from 'node:stream'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { type IncomingFile, MAX_UPLOAD_BYTES } from '#flows/uploads/receive-upload.ts'
import { UploadRefused } from '#flows/uploads/upload-refused.ts'
import { ApiError } from '#model/errors.ts'
import { beginUpload, endUpload } from './uploading.ts'

/** Limit (uploads): time for a whole upload; then it is refused. */
const MAX_UPLOAD_MS = 5 * 60_000
/** Limit: time without a byte of an upload; then it is refused. */
const MAX_IDLE_MS = 30_000
/** Limit: parts of a form with an upload; one with more is refused. */
const MAX_PARTS = 8

/**
 * Opens the body of a request: the first file of a form, or the body itself. Its bytes are read no faster than the caller takes them.
 * `close` must be called in any case; it lets the rest of the body pass, so that the response arrives.
 */
export function openUpload(raw: IncomingMessage): { file: () => Promise<IncomingFile>; close: () => void } {
  const { socket } = raw
  const ended = new AbortController()
  const fail = (error: Error) => ended.abort(error)
  const onClose = () => {
    if (!raw.complete) fail(new UploadRefused('broken'))
  }
  const whole = setTimeout(() => fail(new ApiError('request_timeout')), MAX_UPLOAD_MS)
  const idle = setTimeout(() => fail(new ApiError('request_timeout')), MAX_IDLE_MS)
  const onData = () => idle.refresh()
  let parser: BusboyInstance | PassThrough | undefined
  return {
    file: async () => {
      beginUpload(socket)
      raw.once('close', onClose)
      if (Number(raw.headers['content-length'] ?? 0) > MAX_UPLOAD_BYTES + FORM_BYTES)
        throw new UploadRefused('too_large')
      if (!/^multipart\/form-data/i.test(raw.headers['content-type'] ?? '')) {
        // Destroying the request itself would close the connection before the response.
        const body = raw.pipe(new PassThrough())
        parser = body
        return { name: undefined, chunks: chunksOf(body, ended.signal, onData) }
      }
      const form = createParser(raw)
      parser = form
      return firstFile(raw, form, ended.signal, onData)
    },
    close: () => {
      clearTimeout(whole)
      clearTimeout(idle)
      endUpload(socket)
      raw.off('close', onClose)
      if (parser !== undefined) raw.unpipe(parser)
      if (!raw.complete) raw.resume()
    },
  }
}

/** What a form adds to the bytes of its file. */
const FORM_BYTES = 64 * 1024

function createParser({ headers }: IncomingMessage): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      limits: { files: 1, fields: MAX_PARTS, parts: MAX_PARTS, fieldSize: 1000, headerPairs: 20, headerSize: 8192 },
    })
  } catch (cause) {
    // A form without a boundary.
    throw new UploadRefused('broken', cause)
  }
}

function firstFile(
  raw: IncomingMessage,
  parser: BusboyInstance,
  ended: AbortSignal,
  onData: () => void,
): Promise<IncomingFile> {
  return new Promise((resolve, reject) => {
    const failed = new AbortController()
    const fail = (error: Error) => {
      failed.abort(error)
      reject(error)
    }
    ended.addEventListener('abort', () => fail(ended.reason as Error), { once: true })
    parser.on('error', (cause) => fail(new UploadRefused('broken', cause)))
    parser.on('finish', () => reject(new UploadRefused('missing')))
    parser.on('file', (_field, stream, name) => {
      // Listened to at once: the form may end before anybody reads the file.
      stream.on('error', (cause) => fail(new UploadRefused('broken', cause)))
      resolve({ name, chunks: chunksOf(stream, failed.signal, onData) })
    })
    raw.pipe(parser)
  })
}

/** Ends with an error when the upload breaks off. */
async function* chunksOf(stream: Readable, ended: AbortSignal, onData: () => void): AsyncGenerator<Buffer> {
  // After the reader has left, the error is of no use to anybody.
  stream.on('error', () => {})
  const stop = () => stream.destroy(ended.reason as Error)
  if (ended.aborted) throw ended.reason
  ended.addEventListener('abort', stop, { once: true })
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
      onData()
      yield chunk as Buffer
    }
    if (ended.aborted) throw ended.reason
  } catch (error) {
    throw ended.aborted ? ended.reason : error
  } finally {
    ended.removeEventListener('abort', stop)
  }
}
