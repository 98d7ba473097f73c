import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Clock } from '#platform/clock.ts'
import type { EgressLevels } from '#platform/egress/levels.ts'
import { TRUST, type Trust } from '#platform/egress/trust.ts'
import { type ResolveTxt, systemResolveTxt } from '#platform/formats/resolve-txt.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { redactText } from '#platform/telemetry/redact.ts'
import type { Tracer } from '#platform/telemetry/trace.ts'
import { decodeBody } from '../body/decode-body.ts'
import { ACCEPTED_ENCODINGS } from '../body/decoder.ts'
import { readLimited } from '../body/read-limited.ts'
import { createDpopNonces, type DpopNonces } from './dpop-nonces.ts'
import { joinedHeaders } from './joined-headers.ts'
import { createMetadataCache, type MetadataCache } from './metadata-cache.ts'
import { lowerCaseNames, openStream, type StreamRequest, type StreamResponse } from './open-stream.ts'
import { transportError } from './transport-error.ts'

export interface UpstreamRequest {
  method: string
  url: string
  /** Who chose the address; that of a service is in its `ServiceLocation`. */
  trust: Trust
  headers?: Readonly<Record<string, string>> | undefined
  body?: string | Uint8Array | undefined
  /** For the whole call, including connecting and reading. */
  timeoutMs?: number | undefined
  /** Of the decoded response. */
  maxBytes?: number | undefined
  signal?: AbortSignal | undefined
  /** Values that logs do not show, should the address contain them. */
  secrets?: readonly string[] | undefined
}

export interface UpstreamResponse {
  status: number
  /** Lower-case names; repeated ones joined by a comma. */
  headers: Record<string, string>
  text: string
}

/** Sends every call to services, and caches nonces and metadata of their servers. */
export interface Upstream {
  clock: Clock
  log: Log
  /** Cryptographically random bytes. */
  random: (bytes: number) => Buffer
  /** Does not follow redirects or retry; throws an UpstreamError if no complete response was received. */
  send(request: UpstreamRequest): Promise<UpstreamResponse>
  /** The same for streams: resolves with the response headers. */
  open(request: StreamRequest): Promise<StreamResponse>
  /** The texts of a DNS record; empty if there is none. */
  resolveTxt: ResolveTxt
  nonces: DpopNonces
  metadata: MetadataCache
}

export interface UpstreamOptions {
  egress: EgressLevels
  clock: Clock
  log: Log
  random?: ((bytes: number) => Buffer) | undefined
  tracer?: Tracer | undefined
  resolveTxt?: ResolveTxt | undefined
}

/** Limit: time for one call to a service, unless the caller sets another; then it fails. */
const MAX_CALL_MS = 30_000
/** Limit: bytes of one response of a service, unless the caller sets another; a longer one fails the call. */
const MAX_RESPONSE_BYTES = 2 * 1024 * 1024

export function createUpstream(options: UpstreamOptions): Upstream {
  const { egress, clock, log, random = randomBytes, tracer, resolveTxt = systemResolveTxt } = options
  /** Trace headers are not sent to services, and a span has only method, host and status of a call. */
  const traced = <Response extends { status: number }>(method: string, url: string, call: () => Promise<Response>) =>
    tracer === undefined
      ? call()
      : tracer.span(
          `${method} ${hostOf(url)}`,
          'client',
          { 'http.request.method': method, 'server.address': hostOf(url) },
          async (span) => {
            const reply = await call()
            span.attributes['http.response.status_code'] = reply.status
            span.failed = reply.status >= 400
            return reply
          },
        )
  return {
    clock,
    log,
    random,
    resolveTxt,
    nonces: createDpopNonces(),
    metadata: createMetadataCache(clock),
    async send(request) {
      const startedMs = clock.now()
      const fields = { method: request.method, address: redactText(withoutQuery(request.url), request.secrets) }
      try {
        const reply = await traced(request.method, request.url, () => sendAndRead(egress, request))
        log.debug('service responded', { ...fields, status: reply.status, ms: clock.now() - startedMs })
        return reply
      } catch (error) {
        const failure = transportError(error)
        log.debug('service call failed', { ...fields, reason: failure.reason, ms: clock.now() - startedMs })
        throw failure
      }
    },
    open: (request) =>
      traced(request.method, request.url, () => openStream(egress.at(request.trust), request)).catch(
        (error: unknown) => {
          throw transportError(error)
        },
      ),
  }
}

/** The same upstream during a sign-in: the one who named a person's server is not known yet. */
export function forStrangers(upstream: Upstream): Upstream {
  const lowered = <Request extends { trust: Trust }>(request: Request): Request =>
    request.trust === 'person' ? { ...request, trust: 'stranger' } : request
  return {
    ...upstream,
    send: (request) => upstream.send(lowered(request)),
    open: (request) => upstream.open(lowered(request)),
  }
}

/** The same upstream with a deadline for all calls together. */
export function withDeadline(upstream: Upstream, ms: number): Upstream {
  const deadline = AbortSignal.timeout(ms)
  return {
    ...upstream,
    send: (request) => {
      const signal = request.signal ? AbortSignal.any([deadline, request.signal]) : deadline
      return upstream.send({ ...request, signal })
    },
  }
}

async function sendAndRead(levels: EgressLevels, request: UpstreamRequest): Promise<UpstreamResponse> {
  const egress = levels.at(request.trust)
  const { maxCallMs, maxResponseBytes } = TRUST[request.trust]
  const url = egress.check(request.url)
  const timeout = AbortSignal.timeout(Math.min(request.timeoutMs ?? MAX_CALL_MS, maxCallMs))
  const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout
  const { statusCode, headers, body } = await egress.dispatcher.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: request.method,
    headers: {
      accept: 'application/json',
      'accept-encoding': ACCEPTED_ENCODINGS,
      'user-agent': 'Tributary',
      ...lowerCaseNames(request.headers ?? {}),
    },
    body: request.body ?? null,
    signal,
  })
  const bytes = await readLimited(body as Readable, {
    maxBytes: Math.min(request.maxBytes ?? MAX_RESPONSE_BYTES, maxResponseBytes),
    contentEncoding: headers['content-encoding'],
    signal,
  })
  const joined = joinedHeaders(headers)
  return { status: statusCode, headers: joined, text: decodeBody(bytes, joined['content-type']) }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'nowhere'
}

// Queries contain tokens at some services and must not be logged.
function withoutQuery(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? ''
}
