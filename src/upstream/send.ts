import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Clock } from '#platform/clock.ts'
import type { Egress } from '#platform/egress/guard.ts'
import type { Log } from '#platform/telemetry/log.ts'
import type { Tracer } from '#platform/telemetry/trace.ts'
import { ACCEPTED_ENCODINGS } from './body/decoder.ts'
import { decodeText } from './body/lossless-json.ts'
import { readLimited } from './body/read-limited.ts'
import { createDpopNonces, type DpopNonces } from './dpop/nonces.ts'
import { joinedHeaders } from './joined-headers.ts'
import { createMetadataCache, type MetadataCache } from './metadata-cache.ts'
import { lowered, openStream, type StreamRequest, type StreamResponse } from './open-stream.ts'
import { transportError } from './transport-error.ts'

export interface UpstreamRequest {
  method: string
  url: string
  headers?: Readonly<Record<string, string>> | undefined
  body?: string | Uint8Array | undefined
  /** For the whole call, connecting and reading included. */
  timeoutMs?: number | undefined
  /** Of the decoded answer. */
  maxBytes?: number | undefined
  signal?: AbortSignal | undefined
}

export interface UpstreamResponse {
  status: number
  /** Lower-case names; repeated ones joined by a comma. */
  headers: Record<string, string>
  text: string
}

/** The one way out to services, and what it remembers about them. */
export interface Upstream {
  clock: Clock
  log: Log
  /** Unguessable bytes. */
  random: (bytes: number) => Buffer
  /** Never follows a redirect, never repeats a call; throws UpstreamError when no whole answer came. */
  send(request: UpstreamRequest): Promise<UpstreamResponse>
  /** The same for streams: resolves when the answer's headers are there. */
  open(request: StreamRequest): Promise<StreamResponse>
  nonces: DpopNonces
  metadata: MetadataCache
}

export interface UpstreamOptions {
  egress: Egress
  clock: Clock
  log: Log
  random?: ((bytes: number) => Buffer) | undefined
  tracer?: Tracer | undefined
}

/** Limit: time for one call of a service, where the caller names no other; then it fails. */
const MAX_CALL_MS = 30_000
/** Limit: bytes of one response of a service, where the caller names no other; a longer one fails the call. */
const MAX_RESPONSE_BYTES = 2 * 1024 * 1024

export function createUpstream({ egress, clock, log, random = randomBytes, tracer }: UpstreamOptions): Upstream {
  /** Services hear nothing of our traces, and traces nothing of a call but where it went and how it ended. */
  const followed = <Answer extends { status: number }>(method: string, url: string, call: () => Promise<Answer>) =>
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
    nonces: createDpopNonces(),
    metadata: createMetadataCache(clock),
    async send(request) {
      const startedMs = clock.now()
      const told = { method: request.method, address: withoutQuery(request.url) }
      try {
        const reply = await followed(request.method, request.url, () => exchange(egress, request))
        log.debug('service answered', { ...told, status: reply.status, ms: clock.now() - startedMs })
        return reply
      } catch (error) {
        const failure = transportError(error)
        log.debug('service call failed', { ...told, reason: failure.reason, ms: clock.now() - startedMs })
        throw failure
      }
    },
    open: (request) =>
      followed(request.method, request.url, () => openStream(egress, request)).catch((error: unknown) => {
        throw transportError(error)
      }),
  }
}

/** The same way out, where all calls together may take no longer than this. */
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

async function exchange(egress: Egress, request: UpstreamRequest): Promise<UpstreamResponse> {
  const url = egress.check(request.url)
  const timeout = AbortSignal.timeout(request.timeoutMs ?? MAX_CALL_MS)
  const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout
  const { statusCode, headers, body } = await egress.dispatcher.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: request.method,
    headers: {
      accept: 'application/json',
      'accept-encoding': ACCEPTED_ENCODINGS,
      'user-agent': 'Tributary',
      ...lowered(request.headers ?? {}),
    },
    body: request.body ?? null,
    signal,
  })
  const bytes = await readLimited(body as Readable, {
    maxBytes: request.maxBytes ?? MAX_RESPONSE_BYTES,
    contentEncoding: headers['content-encoding'],
    signal,
  })
  return { status: statusCode, headers: joinedHeaders(headers), text: decodeText(bytes) }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'nowhere'
}

// Queries carry tokens at some services, so that no log line holds them.
function withoutQuery(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? ''
}
