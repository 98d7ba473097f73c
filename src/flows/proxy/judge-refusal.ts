import type { Registry } from '#kit/registry.ts'
import { parseLossless } from '#upstream/body/lossless-json.ts'
import { readLimited } from '#upstream/body/read-limited.ts'
import type { Recovery } from '#upstream/errors.ts'

/** A refusal (4xx) of a service as it came. Plain values, so that another process can parse it. */
export interface RawRefusal {
  service: string
  status: number
  headers: Record<string, string>
  /** Undefined where the body is too long to be looked at. */
  bytes: Uint8Array | undefined
}

/** What the connector makes of it; undefined where it has nothing to say. */
export type JudgeRefusal = (refusal: RawRefusal) => Promise<Recovery | undefined>

/** Limit: bytes of a refusal once it is decoded; of a longer one only status and headers are judged. */
const MAX_DECODED_BYTES = 64 * 1024
/** Limit: nesting of a refusal; of a deeper one only status and headers are judged. */
const MAX_DEPTH = 100

export async function judgeRefusal(
  { registry }: { registry: Registry },
  { service, status, headers, bytes }: RawRefusal,
): Promise<Recovery | undefined> {
  const recovery = registry.find(service)?.api.recovery
  return recovery?.({ status, body: await parsed(bytes, headers['content-encoding']), headers })
}

/** Undefined for what is no JSON: then status and headers have to do. */
async function parsed(bytes: Uint8Array | undefined, contentEncoding: string | undefined): Promise<unknown> {
  if (bytes === undefined) return undefined
  try {
    const decoded = await readLimited([bytes], { maxBytes: MAX_DECODED_BYTES, contentEncoding })
    return parseLossless(decoded.toString('utf8'), MAX_DEPTH)
  } catch {
    return undefined
  }
}
