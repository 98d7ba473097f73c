import type { ProxyResponse, Target } from './deps.ts'
import { responseHeaders } from './headers.ts'
import { leadBack } from './lead-back.ts'
import type { OpenedCall } from './open-call.ts'

/** The response of the service for the caller, who called `proxyUrl`. */
export function passThrough({ connector: { auth } }: Target, opened: OpenedCall, proxyUrl: string): ProxyResponse {
  const { url, api, status, body } = opened
  const headers = responseHeaders(opened.headers)
  leadBack(headers, { url, api, auth, proxyUrl })
  return { status, headers, body }
}
