import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createDecoder, decodeErrorOf } from './decoder.ts'
import { BodyDecodeError, BodyLimitError } from './errors.ts'

export interface ReadLimits {
  /** Applies to the decoded bytes and to the encoded ones. */
  maxBytes: number
  /** The response header. */
  contentEncoding?: string | readonly string[] | undefined
  /** Longest pause between two chunks. */
  idleMs?: number
  /** For the whole body. */
  totalMs?: number
  signal?: AbortSignal
}

/** Reads a whole body into memory, at most `maxBytes`. Destroys the source on any failure. */
export async function readLimited(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limits: ReadLimits,
): Promise<Buffer> {
  const source = body instanceof Readable ? body : Readable.from(body, { objectMode: false })
  // Registered first: a destroyed body emits an error, and an unhandled one would end the process.
  source.on('error', () => {})
  const chunks: Buffer[] = []
  const meter = createMeter(limits)
  const options = limits.signal ? { signal: limits.signal } : {}
  const collect = async (decoded: AsyncIterable<Buffer>) => {
    let bytes = 0
    for await (const chunk of decoded) {
      bytes += chunk.length
      if (bytes > limits.maxBytes) throw tooLarge(limits.maxBytes)
      chunks.push(chunk)
    }
  }
  try {
    const decoder = createDecoder(limits.contentEncoding)
    await pipeline(source, meter, decoder, collect, options)
  } catch (error) {
    throw asBodyError(error, limits.signal)
  } finally {
    meter.destroy()
    source.destroy()
  }
  return Buffer.concat(chunks)
}

/** Enforces the limits of encoded bytes and time; the timers end with the stream. */
function createMeter({ maxBytes, idleMs, totalMs }: ReadLimits): Transform {
  let wireBytes = 0
  const meter = new Transform({
    transform(chunk: Buffer, _, done) {
      wireBytes += chunk.length
      idle?.refresh()
      if (wireBytes > maxBytes) done(tooLarge(maxBytes))
      else done(null, chunk)
    },
    flush(done) {
      clear()
      done()
    },
    destroy(error, done) {
      clear()
      done(error)
    },
  })
  const expire = (ms: number | undefined, error: () => BodyLimitError) =>
    ms === undefined ? undefined : setTimeout(() => meter.destroy(error()), ms)
  const idle = expire(idleMs, () => new BodyLimitError('body_idle', `No byte arrived for ${idleMs} ms`))
  const total = expire(
    totalMs,
    () => new BodyLimitError('body_too_slow', `The response took longer than ${totalMs} ms`),
  )
  const clear = () => {
    clearTimeout(idle)
    clearTimeout(total)
  }
  return meter
}

function tooLarge(maxBytes: number): BodyLimitError {
  return new BodyLimitError('body_too_large', `The response is larger than ${maxBytes} bytes`)
}

function asBodyError(error: unknown, signal: AbortSignal | undefined): unknown {
  if (error instanceof BodyLimitError || error instanceof BodyDecodeError) return error
  if (signal?.aborted) return signal.reason
  return (
    decodeErrorOf(error) ?? new BodyDecodeError('body_interrupted', 'The response was interrupted', { cause: error })
  )
}
