import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomSecret } from '#platform/ids.ts'
import type { HttpDeps } from './deps.ts'

/** Limit: lifetime of the cookie of a sign-in, in seconds; then the sign-in has to start again. */
const MAX_AGE_S = 20 * 60

/** Who sets the cookie: this service, for sign-ins and for connect sessions, or the demo app, which stands for another server. */
type Owner = 'tributary' | 'tributary-link' | 'tributary-demo'

/** The prefix `__Host-` proves that no other host or plain connection set the cookie; browsers reject it without https. */
function cookieName({ config }: HttpDeps, owner: Owner): string {
  return config.baseUrl.startsWith('https:') ? `__Host-${owner}` : owner
}

/** Returns the hash of the browser's cookie, which binds a sign-in to the browser that began it. */
export function browserOf(deps: HttpDeps, request: FastifyRequest, owner: Owner = 'tributary'): Buffer | undefined {
  const value = readCookie(request, cookieName(deps, owner))
  return value === undefined ? undefined : deps.hasher.hash('browser', value)
}

/** Sets the cookie. An existing one is kept and renewed, so that two concurrent sign-ins both succeed. */
export function rememberBrowser(
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  owner: Owner = 'tributary',
  maxAgeS = MAX_AGE_S,
): Buffer {
  const name = cookieName(deps, owner)
  const value = readCookie(request, name) ?? randomSecret()
  const secure = deps.config.baseUrl.startsWith('https:') ? '; Secure' : ''
  void reply.header('set-cookie', `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeS}${secure}`)
  return deps.hasher.hash('browser', value)
}

function readCookie(request: FastifyRequest, name: string): string | undefined {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='))
  const value = pairs.find(([key]) => key === name)?.[1]
  return value !== undefined && /^[0-9a-z]{52}$/.test(value) ? value : undefined
}
