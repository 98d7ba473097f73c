import type { ResponseRecovery } from '#access/learn-limits.ts'
import type { Api, RateLimitInfo } from '#kit/connector/connector.ts'
import type { Registry } from '#kit/connector/registry.ts'
import type { Clock } from '#platform/clock.ts'
import { parseLossless } from '#upstream/body/lossless-json.ts'
import { readLimited } from '#upstream/body/read-limited.ts'

/** A refusal (4xx) of a service as received. Serializable, so that another process can parse it. */
export interface RawRefusal {
  service: string
  status: number
  headers: Record<string, string>
  /** Undefined if the body is too long to be parsed. */
  bytes: Uint8Array | undefined
}

/** What the connector reads in a refusal. Serializable too. */
export interface Refusal {
  /** Its classification (`api.recovery`); undefined if it has none for this response. */
  recovery: ResponseRecovery
  /** The limits that the response states, where the connector reads them from the body too (`api.rate`). */
  stated: RateLimitInfo | undefined
}

export type ClassifyRefusal = (refusal: RawRefusal) => Promise<Refusal>

/** Limit: bytes of a refusal once it is decoded; of a longer one only status and headers are classified. */
const MAX_DECODED_BYTES = 64 * 1024
/** Limit: nesting of a refusal; of a deeper one only status and headers are classified. */
const MAX_DEPTH = 100

export async function classifyRefusal(
  { registry, clock }: { registry: Registry; clock: Clock },
  { service, status, headers, bytes }: RawRefusal,
): Promise<Refusal> {
  const api = registry.find(service)?.api
  const body = await parseBody(bytes, headers['content-encoding'])
  const recovery = api?.recovery?.({ status, body, headers })
  return { recovery, stated: api && readStated(api, headers, clock.now(), body) }
}

function readStated(
  api: Api,
  headers: Record<string, string>,
  nowMs: number,
  body: unknown,
): RateLimitInfo | undefined {
  try {
    return api.rate?.(headers, nowMs, body)
  } catch {
    // The headers are read again where the limits are stored, which reports the error.
    return undefined
  }
}

/** Undefined if it is not JSON: then only status and headers are classified. */
async function parseBody(bytes: Uint8Array | undefined, contentEncoding: string | undefined): Promise<unknown> {
  if (bytes === undefined) return undefined
  try {
    const decoded = await readLimited([bytes], { maxBytes: MAX_DECODED_BYTES, contentEncoding })
    return parseLossless(decoded.toString('utf8'), MAX_DEPTH)
  } catch {
    // Expected: services also send HTML, and bodies beyond our limits.
    return undefined
  }
}
