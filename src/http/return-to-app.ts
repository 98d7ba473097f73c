import type { FastifyReply } from 'fastify'
import type { AuthorizeError } from '#flows/authorize/errors.ts'
import type { ReturnTo } from '#flows/authorize/start.ts'

/** Sends the browser back to the app. The address was checked to be the app's own before any of these is called. */
export function returnCode(reply: FastifyReply, to: ReturnTo, code: string): FastifyReply {
  return go(reply, withQuery(to.redirectUri, { code, state: to.state }))
}

/** In the fragment, which browsers keep to themselves. */
export function returnToken(reply: FastifyReply, to: ReturnTo, token: string, account: string): FastifyReply {
  return go(reply, `${to.redirectUri}#${encode({ access_token: token, account, state: to.state })}`)
}

export function returnError(reply: FastifyReply, to: ReturnTo, error: AuthorizeError): FastifyReply {
  return go(reply, withQuery(to.redirectUri, { error: error.reason, state: to.state }))
}

/** The registered address stays byte for byte; only its query grows. */
function withQuery(uri: string, params: Record<string, string | undefined>): string {
  const joiner = !uri.includes('?') ? '?' : uri.endsWith('?') || uri.endsWith('&') ? '' : '&'
  return `${uri}${joiner}${encode(params)}`
}

function encode(params: Record<string, string | undefined>): string {
  return new URLSearchParams(
    Object.entries(params).filter((pair): pair is [string, string] => pair[1] !== undefined),
  ).toString()
}

// 303 turns a POST into a GET; 307 would hand the form on to the app.
function go(reply: FastifyReply, address: string): FastifyReply {
  return reply
    .code(reply.request.method === 'GET' ? 302 : 303)
    .header('location', address)
    .send()
}
