import { randomSecret } from '#platform/crypto/ids.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { cookieName, readCookie, setCookie } from './cookies.ts'
import type { HttpDeps } from './deps.ts'

/** Limit (sign-in): lifetime of the sign-in cookie; then the sign-in has to start again. */
const MAX_AGE_S = 20 * 60

/** Who sets the cookie: this service, for sign-ins and for connect sessions, or the demo app, which stands for another server. */
type Owner = 'tributary' | 'tributary-link' | 'tributary-demo'

/** Returns the hash of the browser's cookie, which binds a sign-in to the browser that began it. */
export function browserOf(deps: HttpDeps, request: HttpRequest, owner: Owner = 'tributary'): Buffer | undefined {
  const value = readSecret(request, cookieName(deps, owner))
  return value === undefined ? undefined : deps.hasher.hash('browser', value)
}

/** Sets the cookie. An existing one is kept and renewed, so that two concurrent sign-ins both succeed. */
export function rememberBrowser(
  deps: HttpDeps,
  request: HttpRequest,
  reply: HttpReply,
  owner: Owner = 'tributary',
  maxAgeS = MAX_AGE_S,
): Buffer {
  const name = cookieName(deps, owner)
  const value = readSecret(request, name) ?? randomSecret()
  setCookie(deps, reply, name, value, { maxAgeS })
  return deps.hasher.hash('browser', value)
}

function readSecret(request: HttpRequest, name: string): string | undefined {
  const value = readCookie(request, name)
  return value !== undefined && /^[0-9a-z]{52}$/.test(value) ? value : undefined
}
