import type { Readable } from 'node:stream'
import { ApiError } from '#model/errors.ts'

/** Up to here a body is kept, so that it can be sent again after a refresh; beyond, it is a stream that goes once. */
const KEPT_BYTES = 256 * 1024
/** Limit: bytes of a form that has to be signed, and so is held in memory; more is answered with 413. */
const MAX_SIGNED_FORM_BYTES = 2 * 1024 * 1024

export interface CallBody {
  content: Buffer | AsyncIterable<Buffer> | undefined
  /** May be sent a second time. */
  repeatable: boolean
  /** Of a stream, when it was said. */
  length: number | undefined
}

type Headers = NodeJS.Dict<string | string[]>

/** Takes the body in when that is cheap or needed, and leaves it flowing otherwise. */
export async function takeBody(
  stream: Readable,
  headers: Headers,
  mustSign: boolean,
  silenceMs: number,
): Promise<CallBody> {
  const stated = headers['content-length'] === undefined ? undefined : Number(headers['content-length'])
  if (stated === 0 || (stated === undefined && headers['transfer-encoding'] === undefined))
    return { content: undefined, repeatable: true, length: undefined }
  const signedForm = mustSign && isForm(headers)
  if (stated !== undefined && stated > KEPT_BYTES && !signedForm) return flowing(stream, stated, silenceMs)
  const { content, ended } = await gather(stream, signedForm ? MAX_SIGNED_FORM_BYTES : KEPT_BYTES)
  if (ended) return { content, repeatable: true, length: undefined }
  if (signedForm) throw new ApiError('body_too_large')
  stream.unshift(content)
  return flowing(stream, stated, silenceMs)
}

function isForm(headers: Headers): boolean {
  return /^\s*application\/x-www-form-urlencoded\s*(;|$)/i.test(String(headers['content-type'] ?? ''))
}

function flowing(stream: Readable, length: number | undefined, silenceMs: number): CallBody {
  return { content: pieces(stream, silenceMs), repeatable: false, length }
}

/** A service that answers before it heard all must not cost the caller the connection on which the answer goes back. */
async function* pieces(stream: Readable, silenceMs: number): AsyncGenerator<Buffer> {
  let callersTurn = true
  // A caller who says no more must not hold a connection of the service for ever; one who waits for the service may.
  const silence = setTimeout(() => (callersTurn ? stream.destroy() : silence.refresh()), silenceMs).unref()
  try {
    for await (const piece of stream.iterator({ destroyOnReturn: false })) {
      callersTurn = false
      yield piece as Buffer
      callersTurn = true
      silence.refresh()
    }
  } finally {
    clearTimeout(silence)
    // The caller may still be speaking; nobody listens, but the connection has to come to the end of it.
    stream.resume()
  }
}

/** Reads to the end, or until there is more than `most`. */
function gather(stream: Readable, most: number): Promise<{ content: Buffer; ended: boolean }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const settle = (finish: () => void) => {
      stream.off('data', take).off('end', end).off('error', fail).pause()
      finish()
    }
    const take = (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > most) settle(() => resolve({ content: Buffer.concat(chunks), ended: false }))
    }
    const end = () => settle(() => resolve({ content: Buffer.concat(chunks), ended: true }))
    const fail = (error: Error) => settle(() => reject(error))
    stream.on('data', take).once('end', end).once('error', fail)
  })
}
