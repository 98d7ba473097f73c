import { learnLimits } from '#access/learn-limits.ts'
import { joinedHeaders } from '#upstream/joined-headers.ts'
import type { StreamResponse } from '#upstream/open-stream.ts'
import type { ProxyDeps, Target } from './deps.ts'
import { judgeRefusal } from './judge-refusal.ts'
import { readAhead } from './read-ahead.ts'

/** Limit: bytes of a refusal (4xx) that the proxy takes in, to see whether it means “too many calls”; a longer one passes as it comes. */
const MAX_REFUSAL_BYTES = 16 * 1024
/** Limit: time that the proxy waits for the end of such a refusal; then it passes as it comes. */
const MAX_REFUSAL_MS = 2000

/**
 * What this response says of limits holds for everybody whose calls the service counts together, sync included. The body is looked
 * at only where the connector can read refusals, and only in responses that are some: everything else passes as it comes.
 */
export async function learnFromResponse<Response extends StreamResponse>(
  deps: ProxyDeps,
  { profile, connector, server }: Target,
  response: Response,
): Promise<Response> {
  const { status } = response
  const { service, api } = connector
  const isRefusal = status >= 400 && status < 500
  if (api.rate === undefined && !isRefusal) return response
  const headers = joinedHeaders(response.headers)
  const isJudged = isRefusal && api.recovery !== undefined
  const isShort = !(Number(headers['content-length']) > MAX_REFUSAL_BYTES)
  const passed =
    isJudged && isShort
      ? { ...response, body: await readAhead(response.body, { maxBytes: MAX_REFUSAL_BYTES, maxMs: MAX_REFUSAL_MS }) }
      : response
  try {
    const bytes = Buffer.isBuffer(passed.body) ? passed.body : undefined
    const judge = deps.judgeRefusal ?? ((refusal) => judgeRefusal(deps, refusal))
    const recovery = isJudged ? await judge({ service, status, headers, bytes }) : undefined
    await learnLimits(deps, { profile, connector, server }, { status, headers, recovery })
  } catch (error) {
    // The service has acted: a failure of ours must not hide its response, or the app would do the same again.
    deps.log.warn('the limits that a response tells could not be stored', { service, error })
  }
  return passed
}
