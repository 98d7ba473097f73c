import type { HttpReply } from '../exchange/reply.ts'
import type { HttpRequest } from '../exchange/request.ts'
import type { HttpDeps } from './deps.ts'

type CookieDeps = { config: Pick<HttpDeps['config'], 'baseUrl'> }

interface CookieOptions {
  /** Default: until the browser is closed. */
  maxAgeS?: number
  /** `Lax` is also sent when a person follows a link of another site, such as back from a service. */
  sameSite?: 'Lax' | 'Strict'
}

/** The prefix `__Host-` proves that no other host or plain connection set the cookie; browsers reject it without https. */
export function cookieName(deps: CookieDeps, name: string): string {
  return isHttps(deps) ? `__Host-${name}` : name
}

export function readCookie(request: HttpRequest, name: string): string | undefined {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}

/** Sets a cookie that scripts cannot read. An age of 0 removes it. */
export function setCookie(
  deps: CookieDeps,
  reply: HttpReply,
  name: string,
  value: string,
  { maxAgeS, sameSite = 'Lax' }: CookieOptions,
): void {
  const age = maxAgeS === undefined ? '' : `; Max-Age=${maxAgeS}`
  const secure = isHttps(deps) ? '; Secure' : ''
  reply.header('set-cookie', `${name}=${value}; Path=/; HttpOnly; SameSite=${sameSite}${age}${secure}`)
}

function isHttps({ config }: CookieDeps): boolean {
  return config.baseUrl.startsWith('https:')
}
