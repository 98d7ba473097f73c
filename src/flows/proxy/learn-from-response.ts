import { learnLimits } from '#access/learn-limits.ts'
import { joinedHeaders } from '#upstream/request/joined-headers.ts'
import type { StreamResponse } from '#upstream/request/open-stream.ts'
import { classifyRefusal } from './classify-refusal.ts'
import type { ProxyDeps, Target } from './deps.ts'
import { readAhead } from './read-ahead.ts'

/** Limit: bytes of a refusal (4xx) that the proxy buffers to detect “too many calls”; a longer one is streamed unread. */
const MAX_REFUSAL_BYTES = 16 * 1024
/** Limit: time that the proxy waits for the end of such a refusal; then it is streamed unread. */
const MAX_REFUSAL_MS = 2000

/**
 * Records the rate limits that a response states, for all calls that the service counts together, including sync. Reads
 * the body only of refusals, and only if the connector classifies them: every other body is streamed.
 */
export async function learnFromResponse<Response extends StreamResponse>(
  deps: ProxyDeps,
  target: Target,
  response: Response,
): Promise<Response> {
  const { status } = response
  const { service, api } = target.connector
  const isRefusal = status >= 400 && status < 500
  if (api.rate === undefined && !isRefusal) return response
  const headers = joinedHeaders(response.headers)
  const isClassified = isRefusal && api.recovery !== undefined
  const isShort = !(Number(headers['content-length']) > MAX_REFUSAL_BYTES)
  const passed =
    isClassified && isShort
      ? { ...response, body: await readAhead(response.body, { maxBytes: MAX_REFUSAL_BYTES, maxMs: MAX_REFUSAL_MS }) }
      : response
  try {
    const bytes = Buffer.isBuffer(passed.body) ? passed.body : undefined
    const classify = deps.classifyRefusal ?? ((refusal) => classifyRefusal(deps, refusal))
    const refusal = isClassified ? await classify({ service, status, headers, bytes }) : undefined
    await learnLimits(deps, target, { status, headers, recovery: refusal?.recovery, stated: refusal?.stated })
  } catch (error) {
    // The service has executed the call: an error here must not hide its response, or the app would repeat the call.
    deps.log.warn('the rate limits of a response could not be stored', { service, error })
  }
  return passed
}
