import { timingSafeEqual } from 'node:crypto'
import type { ReturnTo } from '#flows/sign-in/return-to.ts'
import { encodeBase32 } from '#platform/crypto/ids.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpRequest } from '../exchange/request.ts'
import type { AppLink } from '../pages/error-page.ts'
import { cookieName, readCookie, setCookie } from './cookies.ts'
import type { HttpDeps } from './deps.ts'

/** Limit: lifetime in seconds of the cookie that leads back to the app from an error page. */
const MAX_AGE_S = 20 * 60
/** Limit: characters of an app's name in the cookie; the rest is cut off. */
const MAX_NAME = 80

type CookieDeps = Pick<HttpDeps, 'config' | 'hasher'>

/**
 * Remembers the app whose redirect address was verified, so that a page can lead back to it when the sign-in is no longer known:
 * after Back, a reload, or too much time. Signed, so that no other host of the domain can set a link.
 */
export function rememberApp(deps: CookieDeps, reply: HttpReply, app: { name: string }, to: ReturnTo): void {
  const { protocol, origin } = new URL(to.redirectUri)
  const link: AppLink = { name: app.name.slice(0, MAX_NAME), url: /^https?:$/.test(protocol) ? origin : undefined }
  const value = Buffer.from(JSON.stringify(link)).toString('base64url')
  setCookie(deps, reply, nameIn(deps), `${value}.${signatureOf(deps, value)}`, { maxAgeS: MAX_AGE_S })
}

export function appOfBrowser(deps: CookieDeps, request: HttpRequest): AppLink | undefined {
  const [value = '', given = ''] = (readCookie(request, nameIn(deps)) ?? '').split('.')
  const [expected, signature] = [Buffer.from(signatureOf(deps, value)), Buffer.from(given)]
  if (expected.length !== signature.length || !timingSafeEqual(expected, signature)) return undefined
  return JSON.parse(Buffer.from(value, 'base64url').toString()) as AppLink
}

function signatureOf({ hasher }: CookieDeps, value: string): string {
  return encodeBase32(hasher.hash('last_app', value))
}

function nameIn(deps: CookieDeps): string {
  return cookieName(deps, 'tributary-app')
}
