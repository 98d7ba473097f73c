import { pipeline, Readable, Transform } from 'node:stream'
import { compileLinkPaths, type LinkPlace } from '#kit/connector/link-paths.ts'
import { ApiError } from '#model/errors.ts'
import { createDecoder } from '#upstream/body/decoder.ts'
import { BodyDecodeError } from '#upstream/body/errors.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import { discard } from '#upstream/request/open-stream.ts'
import type { ProxyResponse, Target } from './deps.ts'
import { bodyLinkBack, type ResponseOrigin } from './lead-back.ts'
import { LinkDepthError, LinkRewriter, UnclearJsonError } from './link-rewriter.ts'
import { readAhead } from './read-ahead.ts'

type Headers = NodeJS.Dict<string | string[]>

/** Without parameters such as the charset. */
const JSON_TYPE = /^\s*(?:application|text)\/(?:[\w.+-]{1,100}\+)?(?:json|x-json|json-seq|x-ndjson|jsonl)\s*(?:;|$)/i
/** No document, and its first byte may be long in coming. */
const EVENTS = /^\s*text\/event-stream\s*(?:;|$)/i
/** Text in which JSON is written as in UTF-8. In others, such as UTF-7 or UTF-16, a link may look like none. */
const CHARSET = /^(?:utf-?8|us-ascii|ascii|iso-8859-\d+|windows-125\d)$/i
/** Limit: time that the proxy waits for the first byte of a body that is not said to be JSON, to see whether it is. */
const MAX_FIRST_BYTE_MS = 10_000
/** Before a document: byte order marks, spaces, the separator of records, and the empty halves of wide characters. */
const BEFORE = new Set([0xef, 0xbb, 0xbf, 0xfe, 0xff, 0x09, 0x0a, 0x0d, 0x20, 0x1e, 0x00])
const PART_REFUSED =
  'The links in a part of a JSON response cannot be found. Send X-Tributary-Links: keep, or no Range.'
/** What is said about the bytes of a body, which are others now. The ETag stays: it names the same state of the service. */
const OF_BYTES = ['content-length', 'content-md5', 'digest', 'content-digest', 'repr-digest', 'accept-ranges']

/** The places of the links that a connector declares; undefined if there are none, or the caller wants them as they are. */
export function linksOfCall(
  { connector: { api } }: Pick<Target, 'connector'>,
  headers: Headers,
): LinkPlace | undefined {
  const keeps = String(headers['x-tributary-links'] ?? '').toLowerCase() === 'keep'
  return api.links === undefined || keeps ? undefined : placeOf(api.links)
}

/** The headers of a request whose response is rewritten: not compressed, because it would have to be decompressed here. */
export function requestHeadersForLinks(headers: Record<string, string>): Record<string, string> {
  return { ...headers, 'accept-encoding': 'identity' }
}

interface RewritingCall {
  method: string
  /** The caller asked for a part. */
  isPart: boolean
  links: LinkPlace
  from: ResponseOrigin
}

/**
 * Rewrites the links in a response with a JSON body, as a stream; any other response stays as it is. Many SDKs parse a body whatever
 * its type is, so one that begins like JSON is JSON.
 */
export async function leadBodyBack(
  opened: ProxyResponse,
  { method, isPart, links, from }: RewritingCall,
): Promise<ProxyResponse> {
  const type = String(opened.headers['content-type'] ?? '')
  const isJson = JSON_TYPE.test(type)
  const hasBody = method !== 'HEAD' && opened.status !== 204 && opened.status !== 304
  if (!isJson && (!hasBody || EVENTS.test(type) || (isPart && opened.status === 206))) return opened
  const given = isJson || isEncoded(opened) ? opened : await withFirstBytes(opened)
  if (!isJson && !isEncoded(given) && !beginsLikeJson(given.body)) return given
  const { 'content-encoding': encoding, ...headers } = given.headers
  for (const name of OF_BYTES) delete headers[name]
  if (!hasBody) return { ...given, headers }
  try {
    if (isJson && !type.matchAll(/;\s*charset\s*=\s*"?([^\s;"]*)/gi).every(([, name]) => CHARSET.test(name!)))
      throw new UnclearJsonError()
    // A part does not say at which place it is, and the ranges of the rewritten body are others.
    if (given.status === 206 && isPart) throw new ApiError('bad_request', PART_REFUSED)
    if (given.status === 206)
      throw new BodyDecodeError('body_truncated', 'The response is a part that nobody asked for')
    const rewriter = new LinkRewriter(links, (address) => bodyLinkBack(address, from), isJson)
    if (encoding === undefined && Buffer.isBuffer(given.body)) {
      const body = Buffer.concat([rewriter.write(given.body), rewriter.end()])
      return { ...given, headers: { ...headers, 'content-length': String(body.length) }, body }
    }
    const stages = [createDecoder(encoding), rewritingStage(rewriter, !isJson)] as const
    const source = Buffer.isBuffer(given.body) ? Readable.from([given.body], { objectMode: false }) : given.body
    return { ...given, headers, body: pipeline(source, ...stages, ignoreEnd) }
  } catch (error) {
    discard(given)
    const isKnown = [BodyDecodeError, LinkDepthError, UnclearJsonError].some((kind) => error instanceof kind)
    if (!isKnown || !(error instanceof Error)) throw error
    throw new UpstreamError('retry', error.message, { reason: 'answer_unreadable', cause: error })
  }
}

/** The same for JSON that is put together here. */
export function leadStreamBack(body: Readable, links: LinkPlace, from: ResponseOrigin): Readable {
  return pipeline(body, rewritingStage(new LinkRewriter(links, (address) => bodyLinkBack(address, from))), ignoreEnd)
}

/** `isOnlyLike`: as long as the body begins like JSON. */
function rewritingStage(rewriter: LinkRewriter, isOnlyLike: boolean = false): Transform {
  let isRewritten = isOnlyLike ? undefined : true
  return new Transform({
    transform(chunk: Buffer, _, done) {
      isRewritten ??= likeJson(chunk)
      try {
        done(null, isRewritten === false ? chunk : rewriter.write(chunk))
      } catch (error) {
        done(error as Error)
      }
    },
    flush(done) {
      done(null, rewriter.end())
    },
  })
}

const isEncoded = ({ headers: { 'content-encoding': encoding } }: ProxyResponse): boolean =>
  encoding !== undefined && !['', 'identity'].includes(String(encoding).trim().toLowerCase())

/** With a body whose first bytes are there, as far as they come in time. */
async function withFirstBytes(given: ProxyResponse): Promise<ProxyResponse> {
  return { ...given, body: await readAhead(given.body, { maxBytes: 0, maxMs: MAX_FIRST_BYTE_MS }) }
}

/** What is not known yet may be JSON. */
function beginsLikeJson(body: Buffer | Readable): boolean {
  if (Buffer.isBuffer(body)) return likeJson(body) ?? false
  const first = body.read() as Buffer | null
  if (first === null) return true
  body.unshift(first)
  return likeJson(first) ?? true
}

/** Undefined if the document has not begun. */
function likeJson(bytes: Buffer): boolean | undefined {
  const first = bytes.find((byte) => !BEFORE.has(byte))
  return first === undefined ? undefined : first === 0x7b || first === 0x5b
}

// The reader of the last stage sees its error.
const ignoreEnd = (): void => {}

const places = new WeakMap<readonly string[], LinkPlace>()

function placeOf(paths: readonly string[]): LinkPlace {
  const known = places.get(paths) ?? compileLinkPaths(paths)
  places.set(paths, known)
  return known
}
