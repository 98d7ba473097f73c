import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomSecret } from '#platform/ids.ts'
import type { HttpDeps } from './deps.ts'

/** Limit: seconds that the cookie of a sign-in lives. */
const MAX_AGE_S = 20 * 60

/** Whose cookie: ours, or that of the demo app, which stands for another server. */
type Owner = 'tributary' | 'tributary-demo'

/** The name says that no other host and no plain connection set it; without https the prefix would be refused. */
function cookieName({ config }: HttpDeps, owner: Owner): string {
  return config.baseUrl.startsWith('https:') ? `__Host-${owner}` : owner
}

/** What ties a sign-in to the browser that began it: a hash of its cookie. */
export function browserOf(deps: HttpDeps, request: FastifyRequest, owner: Owner = 'tributary'): Buffer | undefined {
  const value = readCookie(request, cookieName(deps, owner))
  return value === undefined ? undefined : deps.hasher.hash('browser', value)
}

/** Keeps the cookie that is there, so that two sign-ins side by side both finish; its time starts anew. */
export function rememberBrowser(
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  owner: Owner = 'tributary',
): Buffer {
  const name = cookieName(deps, owner)
  const value = readCookie(request, name) ?? randomSecret()
  const secure = deps.config.baseUrl.startsWith('https:') ? '; Secure' : ''
  void reply.header('set-cookie', `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${MAX_AGE_S}${secure}`)
  return deps.hasher.hash('browser', value)
}

function readCookie(request: FastifyRequest, name: string): string | undefined {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='))
  const value = pairs.find(([key]) => key === name)?.[1]
  return value !== undefined && /^[0-9a-z]{52}$/.test(value) ? value : undefined
}
