import { text } from 'node:stream/consumers'
import { ApiError } from '#model/errors.ts'
import { retryAfterMs } from '#upstream/retry-after.ts'
import { DeliveryError, type KindNeed } from '../destination.ts'
import { authorization, awsEncode, sha256Hex } from './aws-signature.ts'
import { explain } from './failure.ts'
import { checkPort, decoded, hostOf } from './network-address.ts'
import type { ObjectStore } from './object-store.ts'

const TIMEOUT_MS = 60_000
/** Limit: bytes of one response of an S3 store; a longer one fails the call. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

export interface S3Address {
  origin: string
  keyId: string
  secret: string
  bucket: string
  /** Empty, or ends with a slash. */
  prefix: string
  region: string
}

/** `s3://key:secret@host[:port]/bucket/prefix?region=…&tls=false`; the secret is percent-encoded. */
export function s3Address(url: URL): S3Address {
  const bad = (why: string) => new ApiError('bad_body', `url: ${why}.`)
  const host = hostOf(url)
  const [bucket = '', ...prefix] = decoded(url.pathname.slice(1))
    .split('/')
    .filter((part) => part !== '')
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw bad('names no bucket: s3://key:secret@host/bucket/prefix')
  if (prefix.some((part) => part === '.' || part === '..')) throw bad('must not climb out of its prefix')
  if (url.username === '' || url.password === '') throw bad('names no key and secret: s3://key:secret@host/bucket')
  for (const name of url.searchParams.keys())
    if (name !== 'region' && name !== 'tls') throw bad(`“${name}” is not allowed; known are region, tls`)
  const tls = url.searchParams.get('tls') ?? 'true'
  if (tls !== 'true' && tls !== 'false') throw bad('tls must be true or false')
  const region = url.searchParams.get('region') ?? 'us-east-1'
  if (!/^[a-z0-9-]{1,40}$/.test(region)) throw bad('region must be a name such as eu-central-1')
  if (url.port !== '') checkPort(Number(url.port), [80, 443])
  const named = host.includes(':') ? `[${host}]` : host
  return {
    origin: `${tls === 'true' ? 'https' : 'http'}://${named}${url.port === '' ? '' : `:${url.port}`}`,
    keyId: decoded(url.username),
    secret: decoded(url.password),
    bucket,
    prefix: prefix.map((part) => `${part}/`).join(''),
    region,
  }
}

/** Any store that speaks S3's protocol, by path and not by host name, so that it may be anywhere. */
export function s3Store(need: KindNeed, address: S3Address): ObjectStore {
  const root = `${address.origin}/${address.bucket}`
  const urlOf = (name: string) => new URL(`${root}/${(address.prefix + name).split('/').map(awsEncode).join('/')}`)
  const call = (method: string, url: URL, body?: Uint8Array, mediaType?: string) =>
    send(need, address, method, url, body ?? new Uint8Array(), mediaType)
  return {
    put: async (name, body, mediaType) => {
      await succeeded(need, await call('PUT', urlOf(name), body, mediaType))
    },
    get: async (name) => {
      const answer = await call('GET', urlOf(name))
      if (answer.status === 404 && !answer.body.includes('NoSuchBucket')) return undefined
      return (await succeeded(need, answer)).body
    },
    list: async (prefix) => {
      const names: string[] = []
      for (let token: string | undefined; ; ) {
        const after = token === undefined ? '' : `&continuation-token=${awsEncode(token)}`
        const url = new URL(`${root}?list-type=2&prefix=${awsEncode(address.prefix + prefix)}${after}`)
        const { body } = await succeeded(need, await call('GET', url))
        for (const [, key] of body.matchAll(/<Key>([^<]*)<\/Key>/g))
          names.push(unescapeXml(key!).slice(address.prefix.length))
        const [, more] = /<NextContinuationToken>([^<]+)</.exec(body) ?? []
        if (more === undefined) return names
        token = unescapeXml(more)
      }
    },
    remove: async (name) => {
      const answer = await call('DELETE', urlOf(name))
      if (answer.status !== 404) await succeeded(need, answer)
    },
  }
}

interface Answer {
  status: number
  headers: Record<string, string>
  body: string
}

async function send(
  need: KindNeed,
  address: S3Address,
  method: string,
  url: URL,
  body: Uint8Array,
  mediaType: string | undefined,
): Promise<Answer> {
  const payloadHash = sha256Hex(body)
  const headers: Record<string, string> = {
    host: url.host,
    'x-amz-content-sha256': payloadHash,
    'x-amz-date': new Date(need.clock.now()).toISOString().replaceAll(/[-:]|\.\d{3}/g, ''),
    ...(mediaType === undefined ? {} : { 'content-type': mediaType }),
  }
  const signed = authorization({ ...address, service: 's3' }, { method, url, headers, payloadHash })
  try {
    need.egress.check(url)
    const answer = await need.egress.dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: { ...headers, authorization: signed },
      body: method === 'PUT' ? body : null,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const plain = Object.entries(answer.headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')])
    return { status: answer.statusCode, headers: Object.fromEntries(plain), body: await text(limited(answer.body)) }
  } catch (error) {
    throw new DeliveryError('retry', `The store cannot be reached: ${explain(error)}`, { cause: error })
  }
}

async function* limited(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > MAX_ANSWER_BYTES) throw new Error('The store answered far more than it was asked for')
    yield chunk
  }
}

async function succeeded(need: KindNeed, answer: Answer): Promise<Answer> {
  if (answer.status >= 200 && answer.status < 300) return answer
  const [, code] = /<Code>(\w+)<\/Code>/.exec(answer.body) ?? []
  throw new DeliveryError(
    code === 'EntityTooLarge' ? 'reject' : 'retry',
    `The store answered ${answer.status}${code === undefined ? '' : ` ${code}`}.`,
    { retryAfterMs: retryAfterMs(answer.headers, need.clock.now()) },
  )
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescapeXml(text: string): string {
  return text.replaceAll(
    /&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16))
      if (decimal !== undefined) return String.fromCodePoint(Number(decimal))
      return ENTITIES[name!] ?? whole
    },
  )
}
