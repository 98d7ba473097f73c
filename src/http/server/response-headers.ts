/** Response headers, for the description of the API. */
export const RESPONSE_HEADERS = {
  Link: { description: 'The next page: `<address>; rel="next"`. Missing on the last page.', type: 'string' },
  'X-Total-Count': {
    description: 'How many match, on all pages: with `count=true`, and of lists of services.',
    type: 'integer',
  },
  'X-Staleness': { description: 'With `max_staleness`: how many seconds old the items may be.', type: 'number' },
  ETag: { description: 'Send it as `If-None-Match` to get 304 while nothing has changed.', type: 'string' },
  Location: { description: 'Where the browser goes next.', type: 'string' },
  'Retry-After': { description: 'How many seconds to wait.', type: 'integer' },
  'WWW-Authenticate': { description: 'Which credentials the address takes.', type: 'string' },
  Deprecation: { description: 'Where the operator ends the read API: since when it is deprecated.', type: 'string' },
  Sunset: { description: 'Where the operator ends the read API: when it ends.', type: 'string' },
  'X-Request-Id': { description: 'The id of the request, as in the log.', type: 'string' },
} as const

export type HeaderName = keyof typeof RESPONSE_HEADERS

/** References to the descriptions of headers. */
export function headersOf(names: readonly HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

export function headerComponents(): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(RESPONSE_HEADERS).map(([name, { description, type }]) => [name, { description, schema: { type } }]),
  )
}
