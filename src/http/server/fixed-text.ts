import { createHash } from 'node:crypto'
import { brotliCompressSync, gunzipSync, gzipSync, constants as zlib } from 'node:zlib'
import type { Clock } from '#platform/clock.ts'
import { createTtlCache, type TtlCache } from '#platform/waiting/ttl-cache.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { acceptedEncodings } from '../request/accepted-encoding.ts'

interface FixedText {
  hash: string
  gzip: Buffer
  /** Compressed at the first request that accepts it. */
  br: Buffer | undefined
}

/** Texts that do not change while a server runs, by path. Idle, only their compressed forms are in memory. */
export interface FixedTexts {
  compressed: Map<string, FixedText>
  plain: TtlCache<Buffer>
}

const PLAIN_TTL_MS = 60_000
/** Limit: fixed texts that are kept uncompressed, for a minute; of further ones the least recently used is dropped. */
const MAX_PLAIN = 8
// Higher ones take a second and save a tenth.
const BROTLI_QUALITY = 5

export function createFixedTexts(clock: Clock): FixedTexts {
  return {
    compressed: new Map(),
    plain: createTtlCache<Buffer>(clock, { ttlMs: PLAIN_TTL_MS, maxEntries: MAX_PLAIN }),
  }
}

/**
 * Sends a text that is the same for every caller and has no secrets: created and compressed once, with an ETag, or 304 if the client
 * has it.
 */
export async function sendFixed(
  request: HttpRequest,
  reply: HttpReply,
  type: string,
  make: () => string,
  path = request.route.url ?? request.url,
): Promise<HttpReply> {
  const { compressed, plain } = request.server.fixedTexts
  let fixed = compressed.get(path)
  if (fixed === undefined) {
    const bytes = Buffer.from(make())
    const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
    fixed = { hash, gzip: gzipSync(bytes), br: undefined }
    compressed.set(path, fixed)
  }
  const [encoding] = acceptedEncodings(request.headers['accept-encoding'], ['br', 'gzip'])
  // Each form has an ETag of its own, as RFC 9110 8.8.3.3 requires.
  const etag = `"${fixed.hash}${encoding === undefined ? '' : `-${encoding}`}"`
  const vary = reply.getHeader('vary')
  reply.headers({ etag, vary: vary === undefined ? 'accept-encoding' : `${String(vary)}, accept-encoding` })
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
  reply.type(type)
  const { gzip } = fixed
  if (encoding === undefined) return reply.send(await plain.get(path, async () => gunzipSync(gzip)))
  if (encoding === 'br') fixed.br ??= toBrotli(gunzipSync(gzip))
  return reply.header('content-encoding', encoding).send(fixed[encoding])
}

function toBrotli(bytes: Buffer): Buffer {
  return brotliCompressSync(bytes, {
    params: { [zlib.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [zlib.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  })
}

/** Weak comparison, as RFC 9110 13.1.2 requires. */
export function isKnown(given: string | undefined, etag: string): boolean {
  if (given === undefined) return false
  return given.trim() === '*' || given.split(',').some((each) => each.trim().replace(/^W\//, '') === etag)
}
