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

/** The encodings that `createDecoder` decodes, as an Accept-Encoding header. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br, zstd'

const chunkSize = 64 * 1024
// RFC 9659: zstd content needs at most a window of 8 MB; without this limit a few bytes could allocate 128 MB.
const zstdParams = { [constants.ZSTD_d_windowLogMax]: 23 }

const decompressors: Record<string, (firstByte: number) => Transform> = {
  gzip: () => createGunzip({ chunkSize }),
  'x-gzip': () => createGunzip({ chunkSize }),
  // Some servers send raw deflate instead of the standard zlib format; the first byte distinguishes them.
  deflate: (firstByte) => ((firstByte & 0x0f) === 8 ? createInflate({ chunkSize }) : createInflateRaw({ chunkSize })),
  br: () => createBrotliDecompress({ chunkSize }),
  zstd: () => createZstdDecompress({ chunkSize, params: zstdParams }),
}

/** A stage that decodes the Content-Encoding of a response; several encodings are refused. */
export function createDecoder(contentEncoding: string | readonly string[] | undefined): Decoder {
  const [coding, ...further] = codingsOf(contentEncoding)
  if (further.length > 0) throw new BodyDecodeError('encoding_stacked', 'The response is encoded more than once')
  if (coding === undefined) return (wire) => wire
  const create = Object.hasOwn(decompressors, coding) ? decompressors[coding] : undefined
  if (!create) throw new BodyDecodeError('encoding_unknown', 'The response has an unsupported encoding')
  return (wire) => decompress(wire, create)
}

/** Converts an error of the platform's decoders; `undefined` for other errors. */
export function decodeErrorOf(error: unknown): BodyDecodeError | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'Z_BUF_ERROR')
    return new BodyDecodeError('body_truncated', 'The response ended too early', { cause: error })
  if (!/^(Z_|ZSTD_error|ERR__ERROR|ERR_BROTLI)/.test(code)) return undefined
  return new BodyDecodeError('body_corrupt', 'The response could not be decompressed', { cause: error })
}

async function* decompress(wire: Chunks, create: (firstByte: number) => Transform): AsyncGenerator<Buffer> {
  const input = wire[Symbol.asyncIterator]()
  const first = await input.next()
  // An empty body, as for HEAD or 304, is empty in every encoding.
  if (first.done) return
  const decompressor = create(first.value[0]!)
  const feeding = pipeline(chain(first.value, input), decompressor)
  // Its error also ends the iteration below, which throws it.
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
