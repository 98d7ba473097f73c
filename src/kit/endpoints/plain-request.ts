import type { Profile } from '#model/accounts/profile.ts'
import type { Watermark } from './checkpoint.ts'
import type { Endpoint } from './endpoint.ts'
import type { BodyFormat, PageRequest } from './pages.ts'
import { fillPlaceholders } from './placeholders.ts'
import { encodeBody, takesFields, withFields } from './request-body.ts'

const ACCEPT: Record<Exclude<BodyFormat, 'json'>, string> = {
  xml: 'application/xml, text/xml;q=0.9, */*;q=0.1',
  csv: 'text/csv, */*;q=0.1',
  xml_or_json: 'application/xml, application/json, text/xml;q=0.9, */*;q=0.1',
}

/**
 * The first request of a walk, before the connector's `prepare` and `pages` change it. `{fact.NAME}` stays: a walk is stored, and
 * facts may change until the call is made.
 */
export function plainRequest(
  endpoint: Endpoint,
  { nativeId, person }: Pick<Profile, 'nativeId' | 'person'>,
  watermark: Watermark | undefined,
): PageRequest {
  const values = { id: nativeId, handle: person.handle ?? nativeId }
  const { host, parse } = endpoint
  const from = watermark === undefined ? {} : (endpoint.checkpoint?.query(watermark) ?? {})
  const body =
    endpoint.body && encodeBody(withFields(endpoint.body, from), { ...values, watermark: String(watermark ?? '') })
  const query = Object.entries(endpoint.query).map(([name, text]) => [name, fillPlaceholders(text, values)])
  return {
    method: endpoint.method,
    path: fillPlaceholders(endpoint.path, values, encodeURIComponent),
    query: { ...(Object.fromEntries(query) as Record<string, string>), ...(takesFields(endpoint.body) ? {} : from) },
    headers: {
      ...(parse === 'json' ? {} : { accept: ACCEPT[parse] }),
      ...(body && { 'content-type': body.type }),
      ...endpoint.headers,
    },
    ...(body && { body: body.text }),
    ...(host === undefined ? {} : { host }),
    ...(parse === 'json' ? {} : { parse }),
  }
}
