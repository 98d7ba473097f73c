import type { HeaderName } from '../../server/response-headers.ts'
import type { OtherResponse } from '../../server/route.ts'

export const NOT_MODIFIED: Record<number, OtherResponse> = {
  304: { description: 'Nothing has changed since the `ETag` in `If-None-Match`.', headers: ['ETag'] },
}
export const MEDIA: Record<number, OtherResponse> = {
  302: { description: "With `media=true`: a redirect to the item's media.", headers: ['Location'] },
}
export const REDIRECT: OtherResponse = {
  description: 'A redirect to the next step of the sign-in.',
  headers: ['Location'],
}
export const PAGE: OtherResponse = { description: 'A page.', type: 'text/html' }

export const SUNSET: HeaderName[] = ['Deprecation', 'Sunset']
/** Headers of a list of items. */
export const PAGED: HeaderName[] = ['Link', 'X-Total-Count', 'X-Staleness', ...SUNSET]
