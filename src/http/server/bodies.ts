import { ApiError } from '#model/errors.ts'
import type { Bodies } from '../exchange/read-body.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { jsonAsFormError, looksLikeJson, parseJsonBody } from '../request/json-body.ts'
import { rememberBody } from './idempotency.ts'

/** Limit (requests): bytes of a request body, except in the proxy; more is answered with 413. */
const MAX_BODY_BYTES = 1024 * 1024

/** JSON, and forms for OAuth clients. A name that occurs twice becomes an array, which the schemas reject. */
export const BODIES: Bodies = {
  maxBytes: MAX_BODY_BYTES,
  parsers: new Map([
    [
      'application/json',
      (request, bytes) =>
        // Clients send the header with every request.
        bytes.length === 0 && request.route.takesBody === false ? undefined : parsed(request, bytes, parseJsonBody),
    ],
    ['application/x-www-form-urlencoded', (request, bytes) => parsed(request, bytes, parseForm)],
    // Browsers send text/plain to other origins without a preflight, so JSON in it is not accepted.
    [
      'text/plain',
      (request, bytes) => {
        if (request.route.rawBody !== true) throw new ApiError('media_type_unsupported')
        return bytes.toString('utf8')
      },
    ],
  ]),
}

function parsed(request: HttpRequest, bytes: Buffer, parse: (text: string) => unknown): unknown {
  const text = bytes.toString('utf8')
  rememberBody(request, text)
  return request.route.rawBody === true ? text : parse(text)
}

function parseForm(text: string): Record<string, string | string[]> {
  if (looksLikeJson(text)) throw jsonAsFormError()
  const fields: Record<string, string | string[]> = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    const known = fields[name]
    fields[name] = known === undefined ? value : [known, value].flat()
  }
  return fields
}
