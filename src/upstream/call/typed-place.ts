import type { Credential } from '#kit/auth/auth.ts'
import type { Typed } from '#kit/auth/typed.ts'
import { withParameters } from '../oauth2/token-request.ts'
import { fillParameters } from '../request/fill-placeholders.ts'
import type { UpstreamRequest } from '../request/send.ts'
import { typedSignature } from '../sign/sign-typed.ts'
import { basicOf, valuesOf } from './typed-values.ts'

/** Adds typed values to a request as the connector declares. */
export function placeTyped(
  { fields, placement, sign }: Typed,
  credential: Credential,
  request: UpstreamRequest,
  nowMs: number,
): UpstreamRequest {
  const empty = Object.fromEntries(Object.keys(fields).map((name) => [name, '']))
  const values = { ...empty, ...valuesOf(credential) }
  const url = withParameters(request.url, fillParameters(placement.query, values))
  const added = {
    ...fillParameters(placement.headers, values),
    ...basicOf(placement.basic, values),
    // Over the address as it is sent.
    ...(sign === undefined ? {} : typedSignature(sign, values, { ...request, url }, nowMs)),
  }
  const names = new Set(Object.keys(added).map((name) => name.toLowerCase()))
  const others = Object.entries(request.headers ?? {}).filter(([name]) => !names.has(name.toLowerCase()))
  return {
    ...request,
    url,
    headers: { ...Object.fromEntries(others), ...added },
  }
}
