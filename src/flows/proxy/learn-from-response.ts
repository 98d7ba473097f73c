import { learnLimits } from '#access/learn-limits.ts'
import { parseLossless } from '#upstream/body/lossless-json.ts'
import { readLimited } from '#upstream/body/read-limited.ts'
import type { Recovery } from '#upstream/errors.ts'
import { joinedHeaders } from '#upstream/joined-headers.ts'
import type { StreamAnswer } from '#upstream/open-stream.ts'
import type { ProxyNeed, Target } from './need.ts'
import { readAhead } from './read-ahead.ts'

/** Limit: bytes of a refusal (4xx) that the proxy reads, to see whether it means “too many calls”; a longer one passes unread. */
const MAX_REFUSAL_BYTES = 16 * 1024
/** Limit: bytes of such a refusal once it is decoded; a longer one passes unread. */
const MAX_DECODED_REFUSAL_BYTES = 64 * 1024
/** Limit: nesting of such a refusal; a deeper one passes unread. */
const MAX_REFUSAL_DEPTH = 100
/** Limit: time that the proxy waits for the end of such a refusal; then it passes unread. */
const MAX_REFUSAL_MS = 2000

/**
 * What this response says of limits holds for everybody whose calls the service counts together, sync included. The body is looked
 * at only where the connector can read refusals, and only in responses that are some: everything else passes as it comes.
 */
export async function learnFromResponse<Response extends StreamAnswer>(
  need: ProxyNeed,
  { profile, connector, server }: Target,
  response: Response,
): Promise<Response> {
  const { status } = response
  const { rate, recovery: judge } = connector.api
  const isRefusal = status >= 400 && status < 500
  if (rate === undefined && !isRefusal) return response
  const headers = joinedHeaders(response.headers)
  const isReadable = isRefusal && judge !== undefined && !(Number(headers['content-length']) > MAX_REFUSAL_BYTES)
  const passed = isReadable
    ? { ...response, body: await readAhead(response.body, { maxBytes: MAX_REFUSAL_BYTES, maxMs: MAX_REFUSAL_MS }) }
    : response
  try {
    const body = isReadable ? await parsed(passed.body, headers['content-encoding']) : undefined
    const recovery: Recovery | undefined = isRefusal ? judge?.({ status, body, headers }) : undefined
    await learnLimits(need, { profile, connector, server }, { status, headers, recovery })
  } catch (error) {
    // The service has acted: a failure of ours must not hide its response, or the app would do the same again.
    need.log.warn('the limits that a response tells could not be stored', { service: connector.service, error })
  }
  return passed
}

/** Undefined for what is no JSON: then status and headers have to do. */
async function parsed(body: StreamAnswer['body'], contentEncoding: string | undefined): Promise<unknown> {
  if (!Buffer.isBuffer(body)) return undefined
  try {
    const bytes = await readLimited([body], { maxBytes: MAX_DECODED_REFUSAL_BYTES, contentEncoding })
    return parseLossless(bytes.toString('utf8'), MAX_REFUSAL_DEPTH)
  } catch {
    return undefined
  }
}
