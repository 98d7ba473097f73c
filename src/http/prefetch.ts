import type { FastifyRequest } from 'fastify'
import { ApiError } from '#model/errors.ts'

// Programs that fetch links by themselves. Browsers inside chat programs name the program too, and Cubot makes telephones:
// behind those is a person who wants to get in.
const PREVIEWERS = /(?<!cu)bot\b|crawl|spider|preview|facebookexternalhit|slurp|^whatsapp|embedly/i

/** Browsers fetch links ahead and chat programs preview them; neither means that anybody wants it done. */
export function refusePrefetch(request: FastifyRequest): void {
  const purpose = [request.headers['sec-purpose'], request.headers['purpose'], request.headers['x-moz']]
    .flat()
    .join(' ')
  if (/prefetch|preview|prerender/i.test(purpose) || PREVIEWERS.test(request.headers['user-agent'] ?? '')) {
    throw new ApiError('bad_request', 'Fetched ahead or for a preview: nothing was done. Use POST where there is one.')
  }
}
