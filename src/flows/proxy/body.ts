import type { Readable } from 'node:stream'
import type { Auth } from '#kit/auth/auth.ts'
import { signsBody } from '#kit/auth/typed-signing.ts'
import { ApiError } from '#model/errors.ts'

/** A body up to this size is buffered, so that it can be sent again after a refresh; a larger one is streamed once. */
const BUFFERED_BYTES = 256 * 1024
/** Limit (proxy): bytes of a body that must be signed, and so is buffered; a larger one is refused with 413. */
const MAX_SIGNED_BYTES = 2 * 1024 * 1024

export interface CallBody {
  content: Buffer | AsyncIterable<Buffer> | undefined
  /** May be sent a second time. */
  repeatable: boolean
  /** The `Content-Length` of a streamed body, if given. */
  length: number | undefined
}

/** The bodies that a signature covers. */
export type SignedBody = 'none' | 'form' | 'any'

export function signedBodyOf(auth: Auth): SignedBody {
  if (auth.kind === 'oauth1') return 'form'
  return auth.kind === 'typed' && signsBody(auth.sign) ? 'any' : 'none'
}

type Headers = NodeJS.Dict<string | string[]>

export const NO_BODY: CallBody = { content: undefined, repeatable: true, length: undefined }

/** Whether a request says that it has no body, or says nothing of one. */
export function isBodiless(headers: Headers): boolean {
  const stated = headers['content-length']
  return stated === undefined ? headers['transfer-encoding'] === undefined : Number(stated) === 0
}

/** Whether a body is streamed, or may be because its length is not stated. */
export function mayBeStreamed(headers: Headers): boolean {
  const stated = headers['content-length']
  return stated === undefined ? headers['transfer-encoding'] !== undefined : Number(stated) > BUFFERED_BYTES
}

/** Buffers a body that is short or must be signed; streams any other. */
export async function readBody(
  stream: Readable,
  headers: Headers,
  signed: SignedBody,
  idleMs: number,
): Promise<CallBody> {
  if (isBodiless(headers)) return NO_BODY
  const stated = headers['content-length'] === undefined ? undefined : Number(headers['content-length'])
  const mustSign = signed === 'any' || (signed === 'form' && isForm(headers))
  if (stated !== undefined && stated > BUFFERED_BYTES && !mustSign) return streamed(stream, stated, idleMs)
  const { content, ended } = await readUpTo(stream, mustSign ? MAX_SIGNED_BYTES : BUFFERED_BYTES)
  if (ended) return { content, repeatable: true, length: undefined }
  if (mustSign) throw new ApiError('body_too_large')
  stream.unshift(content)
  return streamed(stream, stated, idleMs)
}

function isForm(headers: Headers): boolean {
  return /^\s*application\/x-www-form-urlencoded\s*(;|$)/i.test(String(headers['content-type'] ?? ''))
}

function streamed(stream: Readable, length: number | undefined, idleMs: number): CallBody {
  return { content: chunksOf(stream, idleMs), repeatable: false, length }
}

/**
 * Reads the request to its end even if the service responds early: otherwise the caller's connection, which carries the
 * response, would be closed.
 */
async function* chunksOf(stream: Readable, idleMs: number): AsyncGenerator<Buffer> {
  let isWaitingForCaller = true
  // A silent caller must not hold a connection to the service; a caller that waits for the service may.
  const idleTimer = setTimeout(() => (isWaitingForCaller ? stream.destroy() : idleTimer.refresh()), idleMs).unref()
  try {
    for await (const piece of stream.iterator({ destroyOnReturn: false })) {
      isWaitingForCaller = false
      yield piece as Buffer
      isWaitingForCaller = true
      idleTimer.refresh()
    }
  } finally {
    clearTimeout(idleTimer)
    // Discard what the caller still sends, so that the connection can be used again.
    stream.resume()
  }
}

/** Reads to the end, or until there are more than `maxBytes`. */
function readUpTo(stream: Readable, maxBytes: number): Promise<{ content: Buffer; ended: boolean }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const stopReading = (finish: () => void) => {
      stream.off('data', onData).off('end', onEnd).off('error', onError).pause()
      finish()
    }
    const onData = (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > maxBytes) stopReading(() => resolve({ content: Buffer.concat(chunks), ended: false }))
    }
    const onEnd = () => stopReading(() => resolve({ content: Buffer.concat(chunks), ended: true }))
    const onError = (error: Error) => stopReading(() => reject(error))
    stream.on('data', onData).once('end', onEnd).once('error', onError)
  })
}
