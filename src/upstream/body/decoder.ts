import type { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'
import { BodyDecodeError } from './errors.ts'

type Chunks = AsyncIterable<Buffer>
/** One stage of a pipeline. */
export type Decoder = (wire: Chunks) => Chunks

/** Every coding that `createDecoder` undoes, as an Accept-Encoding header names them. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br, zstd'

const chunkSize = 64 * 1024
// RFC 9659: content in zstd needs no window above 8 MB; without this a few bytes could claim 128 MB.
const zstdParams = { [constants.ZSTD_d_windowLogMax]: 23 }

const decompressors: Record<string, (firstByte: number) => Transform> = {
  gzip: () => createGunzip({ chunkSize }),
  'x-gzip': () => createGunzip({ chunkSize }),
  // Some servers send raw deflate where the standard asks for the zlib wrapping; the first byte tells.
  deflate: (firstByte) => ((firstByte & 0x0f) === 8 ? createInflate({ chunkSize }) : createInflateRaw({ chunkSize })),
  br: () => createBrotliDecompress({ chunkSize }),
  zstd: () => createZstdDecompress({ chunkSize, params: zstdParams }),
}

/** A stage that undoes the one Content-Encoding of an answer. */
export function createDecoder(contentEncoding: string | readonly string[] | undefined): Decoder {
  const [coding, ...further] = codingsOf(contentEncoding)
  if (further.length > 0) throw new BodyDecodeError('encoding_stacked', 'The answer is encoded more than once')
  if (coding === undefined) return (wire) => wire
  const create = Object.hasOwn(decompressors, coding) ? decompressors[coding] : undefined
  if (!create) throw new BodyDecodeError('encoding_unknown', 'The answer has an encoding that was not asked for')
  return (wire) => decompress(wire, create)
}

/** What the platform's decoders throw, in our words; `undefined` for errors that are not theirs. */
export function decodeErrorOf(error: unknown): BodyDecodeError | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'Z_BUF_ERROR')
    return new BodyDecodeError('body_truncated', 'The answer ended too early', { cause: error })
  if (!/^(Z_|ZSTD_error|ERR__ERROR|ERR_BROTLI)/.test(code)) return undefined
  return new BodyDecodeError('body_corrupt', 'The answer could not be decompressed', { cause: error })
}

async function* decompress(wire: Chunks, create: (firstByte: number) => Transform): AsyncGenerator<Buffer> {
  const input = wire[Symbol.asyncIterator]()
  const first = await input.next()
  // An empty body, as after HEAD or 304, is empty in every encoding.
  if (first.done) return
  const decompressor = create(first.value[0]!)
  const feeding = pipeline(chain(first.value, input), decompressor)
  // Its failure also ends the reading below, which reports it.
  feeding.catch(() => undefined)
  yield* decompressor as Chunks
  await feeding
}

async function* chain(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

function codingsOf(header: string | readonly string[] | undefined): string[] {
  return [header ?? []]
    .flat()
    .join(',')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
}
