import type { ProxyResponse, Target } from './deps.ts'
import { responseHeaders } from './headers.ts'
import { type IsOurs, leadBack, type ResponseOrigin, type TokenPlace } from './lead-back.ts'
import { leadBodyBack, linksOfCall } from './lead-body-back.ts'
import type { OpenedCall } from './open-call.ts'

/** What a response depends on: the request of the caller, and the address where it came to us. */
export interface Called {
  proxyUrl: string
  method: string
  headers: NodeJS.Dict<string | string[]>
  /** Where the caller's token was, if not in `Authorization`. */
  tokenIn?: TokenPlace | undefined
  isOurs?: IsOurs | undefined
}

/** The response of the service for the caller, who called `proxyUrl`. */
export async function passThrough(
  target: Target,
  opened: OpenedCall,
  { proxyUrl, method, headers, tokenIn, isOurs }: Called,
): Promise<ProxyResponse> {
  const from = originOf(target, opened, proxyUrl)
  const response = { status: opened.status, headers: responseHeaders(opened.headers), body: opened.body }
  leadBack(response.headers, from, { status: opened.status, calledHost: headers['host']?.toString(), tokenIn, isOurs })
  const links = linksOfCall(target, headers)
  return links === undefined ? response : leadBodyBack(response, { method, isPart: 'range' in headers, links, from })
}

export function originOf({ connector: { auth } }: Target, { url, api }: OpenedCall, proxyUrl: string): ResponseOrigin {
  return { url, api, auth, proxyUrl }
}
