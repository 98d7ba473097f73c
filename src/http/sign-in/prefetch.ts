import { ApiError } from '#model/errors.ts'
import type { HttpRequest } from '../exchange/request.ts'

// User agents that fetch links without a person. In-app browsers of chat programs and Cubot phones must not match: a person uses
// them.
const PREVIEWERS = /(?<!cu)bot\b|crawl|spider|preview|facebookexternalhit|slurp|^whatsapp|embedly/i

/** Rejects requests of browsers that prefetch a link and of programs that preview it: no person asked for the side effect. */
export function refusePrefetch(request: HttpRequest): void {
  const purpose = [request.headers['sec-purpose'], request.headers['purpose'], request.headers['x-moz']]
    .flat()
    .join(' ')
  if (/prefetch|preview|prerender/i.test(purpose) || PREVIEWERS.test(request.headers['user-agent'] ?? '')) {
    throw new ApiError('bad_request', 'This is a prefetch or preview, so nothing was done. Use POST where available.')
  }
}
