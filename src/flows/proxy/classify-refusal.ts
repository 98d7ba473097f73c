import type { ResponseRecovery } from '#access/learn-limits.ts'
import type { Registry } from '#kit/connector/registry.ts'
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

/** The connector's classification (`api.recovery`); undefined if it has none for this response. */
export type ClassifyRefusal = (refusal: RawRefusal) => Promise<ResponseRecovery>

/** Limit: bytes of a refusal once it is decoded; of a longer one only status and headers are classified. */
const MAX_DECODED_BYTES = 64 * 1024
/** Limit: nesting of a refusal; of a deeper one only status and headers are classified. */
const MAX_DEPTH = 100

export async function classifyRefusal(
  { registry }: { registry: Registry },
  { service, status, headers, bytes }: RawRefusal,
): Promise<ResponseRecovery> {
  const recovery = registry.find(service)?.api.recovery
  return recovery?.({ status, body: await parseBody(bytes, headers['content-encoding']), headers })
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
