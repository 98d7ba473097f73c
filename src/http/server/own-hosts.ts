import type { HttpRequest } from '../exchange/request.ts'

const HOST = /^[\w.-]+(?::\d{1,5})?$|^\[[\da-f:]+\](?::\d{1,5})?$/i

/** The hosts that this server is reached by, for policies that name exact paths: the configured one, and the one of the request. */
export function ownHosts({ headers: { host = '' } }: Pick<HttpRequest, 'headers'>, baseUrl: string): string[] {
  return [...new Set([new URL(baseUrl).host, ...(HOST.test(host) ? [host] : [])])]
}
