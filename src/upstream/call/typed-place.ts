import type { Credential } from '#kit/auth/auth.ts'
import type { Typed } from '#kit/auth/typed.ts'
import { withParameters } from '../oauth2/token-request.ts'
import { fillParameters } from '../request/fill-placeholders.ts'
import type { UpstreamRequest } from '../request/send.ts'
import { basicOf, valuesOf } from './typed-values.ts'

/** Adds typed values to a request as the connector declares. */
export function placeTyped(
  { fields, placement }: Typed,
  credential: Credential,
  request: UpstreamRequest,
): UpstreamRequest {
  const empty = Object.fromEntries(Object.keys(fields).map((name) => [name, '']))
  const values = { ...empty, ...valuesOf(credential) }
  const added = { ...fillParameters(placement.headers, values), ...basicOf(placement.basic, values) }
  const names = new Set(Object.keys(added).map((name) => name.toLowerCase()))
  const others = Object.entries(request.headers ?? {}).filter(([name]) => !names.has(name.toLowerCase()))
  return {
    ...request,
    url: withParameters(request.url, fillParameters(placement.query, values)),
    headers: { ...Object.fromEntries(others), ...added },
  }
}
