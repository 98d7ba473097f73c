import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '#model/errors.ts'

/** The origin of the base address, or that of the address which the browser used: a forwarded port, another name of this machine. */
export function isOwnOrigin(baseUrl: string, { origin = '', host }: IncomingHttpHeaders): boolean {
  return origin === new URL(baseUrl).origin || (URL.canParse(origin) && new URL(origin).host === host)
}

/**
 * Refuses a request that a page of another origin made a browser send, as far as the browser says so. Our pages have no referrer, so
 * browsers send their forms with the origin `null`. Then the site decides; over plain http, and in browsers of before 2023, it is not named,
 * and only `SameSite` keeps the cookie from pages of other sites. A program sends neither, and has no cookie of a browser.
 */
export function requireOwnPage(baseUrl: string, headers: IncomingHttpHeaders): void {
  const { origin, 'sec-fetch-site': site } = headers
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new ApiError('origin_refused')
  if (origin !== undefined && origin !== 'null' && !isOwnOrigin(baseUrl, headers)) throw new ApiError('origin_refused')
}
