import { timingSafeEqual } from 'node:crypto'
import { SESSION_TTL_MS } from '#flows/connect/connections-session.ts'
import { ApiError } from '#model/errors.ts'
import { encodeBase32 } from '#platform/crypto/ids.ts'
import type { HttpReply } from '../../exchange/reply.ts'
import type { HttpRequest } from '../../exchange/request.ts'
import { cookieName, readCookie, setCookie } from '../../server/cookies.ts'
import type { HttpDeps } from '../../server/deps.ts'

type CookieDeps = Pick<HttpDeps, 'config' | 'hasher'>

const nameIn = (deps: CookieDeps): string => cookieName(deps, 'tributary-connections')

/** `Lax`, because people come back to the page from a service. A form of another site does not send it. */
export function rememberSession(deps: CookieDeps, reply: HttpReply, session: string): void {
  setCookie(deps, reply, nameIn(deps), session, { maxAgeS: SESSION_TTL_MS / 1000 })
}

export function forgetSession(deps: CookieDeps, reply: HttpReply): void {
  setCookie(deps, reply, nameIn(deps), '', { maxAgeS: 0 })
}

export function sessionOf(deps: CookieDeps, request: HttpRequest): string | undefined {
  const value = readCookie(request, nameIn(deps))
  return value === '' ? undefined : value
}

/** Proves that a form is one of ours, of this session. */
export function formToken({ hasher }: CookieDeps, session: string): string {
  return encodeBase32(hasher.hash('connections_form', session))
}

export function checkForm(deps: CookieDeps, request: HttpRequest, given: string): void {
  const session = sessionOf(deps, request)
  if (session === undefined) throw new ApiError('connections_closed')
  const [expected, token] = [Buffer.from(formToken(deps, session)), Buffer.from(given)]
  if (expected.length !== token.length || !timingSafeEqual(expected, token)) throw new ApiError('connections_closed')
}
