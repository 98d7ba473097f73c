import type { FastifyReply } from 'fastify'
import type { AuthorizeError } from '#flows/authorize/errors.ts'
import type { ReturnTo } from '#flows/authorize/start.ts'

/** Redirects the browser to the app. The caller has checked that the address is registered for it. */
export function returnCode(reply: FastifyReply, to: ReturnTo, code: string): FastifyReply {
  return redirect(reply, withQuery(to.redirectUri, { code, state: to.state }))
}

/** In the fragment, which browsers do not send to servers. */
export function returnToken(reply: FastifyReply, to: ReturnTo, token: string, account: string): FastifyReply {
  return redirect(reply, `${to.redirectUri}#${encode({ access_token: token, account, state: to.state })}`)
}

export function returnError(reply: FastifyReply, to: ReturnTo, error: AuthorizeError): FastifyReply {
  return redirect(reply, withQuery(to.redirectUri, { error: error.reason, state: to.state }))
}

/** Appends to the query and keeps the registered address byte for byte. */
function withQuery(uri: string, params: Record<string, string | undefined>): string {
  const joiner = !uri.includes('?') ? '?' : uri.endsWith('?') || uri.endsWith('&') ? '' : '&'
  return `${uri}${joiner}${encode(params)}`
}

function encode(params: Record<string, string | undefined>): string {
  return new URLSearchParams(
    Object.entries(params).filter((pair): pair is [string, string] => pair[1] !== undefined),
  ).toString()
}

// 303 turns a POST into a GET; 307 would send the form to the app.
function redirect(reply: FastifyReply, address: string): FastifyReply {
  return reply
    .code(reply.request.method === 'GET' ? 302 : 303)
    .header('location', address)
    .send()
}
