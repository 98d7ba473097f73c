import { invalidInput } from '#model/errors.ts'
import { sigV4Headers } from '#platform/crypto/sigv4.ts'
import { percentEncode } from '#platform/formats/percent-encode.ts'
import { retryAfterMs } from '#platform/formats/retry-after.ts'
import { boundedText, requestOnce } from '../bounded-request.ts'
import { DeliveryError, type KindDeps } from '../contract.ts'
import { explain } from '../driver-errors.ts'
import { checkPort, decoded, hostOf } from '../network-address.ts'
import type { ObjectStore } from './object-store.ts'
import { readListing } from './s3-listing.ts'

/** Limit: milliseconds for one request to an S3 store, with the body of its response. Then the request fails. */
const MAX_REQUEST_MS = 60_000
/** Limit: bytes of one response of an S3 store (a listing, a checkpoint, an error). More fail the request. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024
/** Limit: pages of one S3 listing. More fail the listing; what was removed by then stays removed. */
const MAX_PAGES = 1000

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
  const bad = (why: string) => invalidInput('bad_body', 'url', `${why}.`)
  const host = hostOf(url)
  const [bucket = '', ...prefix] = decoded(url.pathname.slice(1))
    .split('/')
    .filter((part) => part !== '')
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw bad('must name a bucket: s3://key:secret@host/bucket/prefix')
  if (prefix.some((part) => part === '.' || part === '..')) throw bad('must not contain . or .. in its prefix')
  if (url.username === '' || url.password === '')
    throw bad('must contain a key and a secret: s3://key:secret@host/bucket')
  for (const name of url.searchParams.keys())
    if (name !== 'region' && name !== 'tls') throw bad(`“${name}” is not allowed; known are region, tls`)
  const tls = url.searchParams.get('tls') ?? 'true'
  if (tls !== 'true' && tls !== 'false') throw bad('tls must be true or false')
  const region = url.searchParams.get('region') ?? 'us-east-1'
  if (!/^[a-z0-9-]{1,40}$/.test(region)) throw bad('region must be a name such as eu-central-1')
  if (url.port !== '') checkPort(Number(url.port), [80, 443])
  const hostInUrl = host.includes(':') ? `[${host}]` : host
  return {
    origin: `${tls === 'true' ? 'https' : 'http'}://${hostInUrl}${url.port === '' ? '' : `:${url.port}`}`,
    keyId: decoded(url.username),
    secret: decoded(url.password),
    bucket,
    prefix: prefix.map((part) => `${part}/`).join(''),
    region,
  }
}

/** Any S3-compatible store. The bucket is in the path and not in the host name, so that any host works. */
export function s3Store(deps: KindDeps, address: S3Address): ObjectStore {
  const root = `${address.origin}/${address.bucket}`
  const closing = new AbortController()
  const urlOf = (name: string) => new URL(`${root}/${(address.prefix + name).split('/').map(percentEncode).join('/')}`)
  const call = (method: Method, url: URL, body?: Uint8Array, mediaType?: string) =>
    send(deps, address, closing.signal, { method, url, body: body ?? new Uint8Array(), mediaType })
  return {
    put: async (name, body, mediaType) => {
      await requireSuccess(deps, await call('PUT', urlOf(name), body, mediaType))
    },
    get: async (name) => {
      const response = await call('GET', urlOf(name))
      if (response.status === 404 && !response.body.includes('NoSuchBucket')) return undefined
      return (await requireSuccess(deps, response)).body
    },
    pages: async function* pages(prefix, size) {
      const fullPrefix = address.prefix + prefix
      const first = `${root}?list-type=2&max-keys=${size}&prefix=${percentEncode(fullPrefix)}`
      let last: string | undefined
      for (let number = 0; number < MAX_PAGES; number += 1) {
        const url = new URL(last === undefined ? first : `${first}&continuation-token=${percentEncode(last)}`)
        const { body } = await requireSuccess(deps, await call('GET', url))
        const { keys, token } = readListing(body, fullPrefix, size)
        yield keys.map((key) => key.slice(address.prefix.length))
        if (token === undefined) return
        if (token === last) throw new DeliveryError('retry', 'The store listed the same page twice.')
        last = token
      }
      throw new DeliveryError('retry', `The store listed more than ${MAX_PAGES} pages.`)
    },
    remove: async (name) => {
      const response = await call('DELETE', urlOf(name))
      if (response.status !== 404) await requireSuccess(deps, response)
    },
    close: () => closing.abort(new Error('The connection was closed')),
  }
}

type Method = 'GET' | 'PUT' | 'DELETE'

interface S3Response {
  status: number
  headers: Record<string, string>
  body: string
}

async function send(
  deps: KindDeps,
  address: S3Address,
  signal: AbortSignal,
  { method, url, body, mediaType }: { method: Method; url: URL; body: Uint8Array; mediaType: string | undefined },
): Promise<S3Response> {
  const headers = mediaType === undefined ? {} : { 'content-type': mediaType }
  const signer = { id: address.keyId, secret: address.secret, region: address.region, service: 's3' }
  const signature = sigV4Headers(signer, { method, url: url.href, body, headers }, deps.clock.now())
  try {
    const response = await requestOnce(deps, {
      method,
      url,
      headers: { host: url.host, ...headers, ...signature },
      body: method === 'PUT' ? body : null,
      waitMs: deps.waitMs ?? MAX_REQUEST_MS,
      signal,
    })
    return { ...response, body: await boundedText(response, MAX_RESPONSE_BYTES) }
  } catch (error) {
    throw new DeliveryError('retry', `The store cannot be reached: ${explain(error)}`, { cause: error })
  }
}

async function requireSuccess(deps: KindDeps, response: S3Response): Promise<S3Response> {
  if (response.status >= 200 && response.status < 300) return response
  const [, code] = /<Code>(\w+)<\/Code>/.exec(response.body) ?? []
  throw new DeliveryError(
    code === 'EntityTooLarge' ? 'reject' : 'retry',
    `The store answered ${response.status}${code === undefined ? '' : ` ${code}`}.`,
    { retryAfterMs: retryAfterMs(response.headers, deps.clock.now()) },
  )
}
