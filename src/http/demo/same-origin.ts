import type { FastifyRequest } from 'fastify'
import { isLoopback } from '#model/app.ts'
import { ApiError } from '#model/errors.ts'
import type { HttpDeps } from '../deps.ts'

/**
 * Refuses requests of pages of other origins: browsers name the origin of a page, and whether it is ours. The port is that of the
 * request and not of the base address, because the demo may be reached over a forwarded one. The name must be ours, because a page
 * that uses DNS rebinding has its own name in both headers. A program without these headers has no cookie of the browser.
 */
export function requireSameOrigin({ config }: Pick<HttpDeps, 'config'>, { headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new ApiError('origin_refused')
  const hostname = URL.parse(`http://${headers.host ?? ''}`)?.hostname
  if (hostname === undefined || !(isLoopback(hostname) || hostname === new URL(config.baseUrl).hostname))
    throw new ApiError('origin_refused')
  const { origin } = headers
  // Browsers send forms of pages without a referrer, such as ours, with the origin `null`; then they say that the site is the same.
  if (site === 'same-origin' && origin === 'null') return
  if (origin !== undefined && URL.parse(origin)?.host !== headers.host) throw new ApiError('origin_refused')
}
