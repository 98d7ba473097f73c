import { isLoopback } from '#model/apps/app.ts'
import { ApiError } from '#model/errors.ts'
import type { HttpRequest } from '../exchange/request.ts'
import type { HttpDeps } from '../server/deps.ts'
import { requireOwnPage } from '../server/own-page.ts'

/**
 * Stricter than for other routes, because the demo acts without a cookie: the name must be ours, because a page that uses DNS rebinding
 * has its own name in both headers, and the origin `null` counts only where the browser says that the site is the same. The port is that
 * of the request, because the demo may be reached over a forwarded one.
 */
export function requireSameOrigin({ config }: Pick<HttpDeps, 'config'>, { headers }: HttpRequest): void {
  requireOwnPage(config.baseUrl, headers)
  const hostname = URL.parse(`http://${headers.host ?? ''}`)?.hostname
  if (hostname === undefined || !(isLoopback(hostname) || hostname === new URL(config.baseUrl).hostname))
    throw new ApiError('origin_refused')
  const { origin } = headers
  if (headers['sec-fetch-site'] === 'same-origin' && origin === 'null') return
  if (origin !== undefined && URL.parse(origin)?.host !== headers.host) throw new ApiError('origin_refused')
}
