import { ApiError } from '#model/errors.ts'
import { readLimited } from '#upstream/body/read-limited.ts'
import type { CallBody } from './body.ts'
import type { CallFlags } from './deps.ts'
import { createTokenFinder, type TokenFinder } from './token-finder.ts'

/** Limit (proxy): bytes of a compressed request body, decompressed, in which the caller's token is looked for. */
const MAX_DECODED_BYTES = 4 * 1024 * 1024

/** What a caller sends that would go to the service. */
interface Sent {
  path: string
  query: string
  /** The caller's token for Tributary; absent where something else identifies the caller. */
  accountToken?: string | undefined
  flags: CallFlags
}

const REFUSED =
  'The access token must not go to the service. Send it in Authorization, or where the API of the service takes its own.'

/**
 * Refuses a call that would hand the caller's token to the service, because an app has put it where no service expects it. The
 * address and headers are checked at once; the body as it is sent. Of a body that is streamed only the text itself is looked for.
 */
export function refuseToken(sent: Sent, headers: Record<string, string>): (body: CallBody) => Promise<CallBody> {
  const { accountToken: token, path, query, flags } = sent
  if (token === undefined) return (body) => Promise.resolve(body)
  const isIn = createTokenFinder(token)
  if (isIn(path)) {
    // Where an address hides it, the log shows nothing of it.
    flags.secrets = [...flags.secrets, isIn(path.replaceAll(token, '')) ? path : token]
    throw refusal()
  }
  if (isIn(query) || hasToken(headers, token, isIn)) throw refusal()
  return (body) => withoutToken(body, token, isIn, headers['content-encoding'])
}

/** Names of headers are in lower case. */
function hasToken(headers: Record<string, string>, token: string, isIn: TokenFinder): boolean {
  for (const name in headers)
    if (isIn(headers[name]!) || (name.length > token.length && name.includes(token.toLowerCase()))) return true
  return false
}

async function withoutToken(
  body: CallBody,
  token: string,
  isIn: TokenFinder,
  encoding: string | undefined,
): Promise<CallBody> {
  const { content } = body
  if (content === undefined) return body
  if (!Buffer.isBuffer(content)) return { ...body, content: stopAtToken(content, Buffer.from(token)) }
  if (isInBytes(content, isIn) || isInBytes(await decoded(content, encoding), isIn)) throw refusal()
  return body
}

/** Also in text with empty bytes between the letters, as UTF-16 has them. */
function isInBytes(bytes: Buffer, isIn: TokenFinder): boolean {
  const text = bytes.toString('latin1')
  return isIn(text) || (text.includes('\0') && isIn(text.replaceAll('\0', '')))
}

async function decoded(content: Buffer, encoding: string | undefined): Promise<Buffer> {
  if (encoding === undefined) return Buffer.alloc(0)
  try {
    return await readLimited([content], { maxBytes: MAX_DECODED_BYTES, contentEncoding: encoding })
  } catch {
    // Nobody knows what it says; the service has to refuse it.
    return Buffer.alloc(0)
  }
}

/** The same chunks until the token begins. What may be its beginning waits for the next chunk: at most the length of the token. */
async function* stopAtToken(chunks: AsyncIterable<Buffer>, token: Buffer): AsyncGenerator<Buffer> {
  let held: Buffer | undefined
  for await (const chunk of chunks) {
    const all = held === undefined ? chunk : Buffer.concat([held, chunk])
    if (all.includes(token)) throw refusal()
    const end = all.length - lengthOfBeginning(all, token)
    // A copy, because the memory of a chunk may be used again.
    held = end === all.length ? undefined : Buffer.from(all.subarray(end))
    if (end > 0) yield end === all.length ? all : all.subarray(0, end)
  }
  if (held !== undefined) yield held
}

/** How many of the last bytes are the beginning of the token. */
function lengthOfBeginning(bytes: Buffer, token: Buffer): number {
  for (let at = Math.max(0, bytes.length - token.length + 1); at < bytes.length; at += 1)
    if (bytes[at] === token[0] && token.subarray(0, bytes.length - at).equals(bytes.subarray(at)))
      return bytes.length - at
  return 0
}

const refusal = (): ApiError => new ApiError('bad_request', REFUSED)

/** The refusal with which a body ended, if that is why a call failed. */
export function refusalIn(error: unknown): ApiError | undefined {
  for (let each = error; each instanceof Error; each = each.cause)
    if (each instanceof ApiError && each.message === REFUSED) return each
  return undefined
}
