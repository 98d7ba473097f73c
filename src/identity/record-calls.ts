import type { InnerStep } from '#model/operation.ts'
import { redactText } from '#platform/telemetry/redact.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import type { Upstream, UpstreamRequest } from '#upstream/request/send.ts'

/** Limit: calls to a service that the log shows of one request of a sign-in; further ones are not shown. */
const MAX_CALLS = 20
/** Limit: characters of an address in the log; the rest is cut off. */
const MAX_ADDRESS = 300

/** The same upstream, which notes each call as a step: method, address without query, status and time; never a header or body. */
export function recordCalls(
  upstream: Upstream,
  steps: InnerStep[],
): { upstream: Upstream; calls: { close: () => void } } {
  const { clock } = upstream
  let isOpen = true
  let count = 0
  const note = (step: InnerStep) => {
    count += 1
    // Calls that go on after the request, as a revocation does, are not part of it.
    if (isOpen && count <= MAX_CALLS) steps.push(step)
  }
  return {
    calls: {
      close: () => {
        isOpen = false
      },
    },
    upstream: {
      ...upstream,
      send: async (request) => {
        const at = clock.now()
        const step = (outcome: 'ok' | 'failed', detail: InnerStep['detail']): InnerStep => ({
          name: nameOf(request),
          at,
          ms: clock.now() - at,
          outcome,
          detail: { method: request.method, address: addressOf(request.url, request.secrets), ...detail },
        })
        try {
          const response = await upstream.send(request)
          note(step(response.status < 400 ? 'ok' : 'failed', { status: response.status }))
          return response
        } catch (error) {
          note(step('failed', { reason: error instanceof UpstreamError ? error.reason : 'internal' }))
          throw error
        }
      },
    },
  }
}

/** What the call is for, as far as the request shows it. */
function nameOf({ method, url, body, headers = {} }: UpstreamRequest): string {
  const text = typeof body === 'string' ? body : ''
  if (/(^|&)grant_type=/.test(text) || /\/access_token\b/.test(url)) return 'token_exchange'
  if (/\/request_token\b/.test(url)) return 'request_token'
  if (/\/\.well-known\//.test(url)) return 'discovery'
  // Before a sign-in is complete, only the record of the person is read with a token.
  const hasToken = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
  return method === 'GET' && hasToken ? 'self_request' : 'call_to_service'
}

/** An address without its query, which may contain secrets. */
export function addressOf(url: string, secrets?: readonly string[]): string {
  if (!URL.canParse(url)) return ''
  const { origin, pathname } = new URL(url)
  return redactText(`${origin}${pathname}`, secrets).slice(0, MAX_ADDRESS)
}
