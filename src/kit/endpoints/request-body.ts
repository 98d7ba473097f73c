import { fillPlaceholders, type PlaceholderValues } from './placeholders.ts'

/** The body of a request: JSON, a form, or a text such as XML with its media type. Placeholders in it are filled and escaped. */
export type RequestBody = { json: unknown } | { form: Record<string, string> } | { text: string; type: string }

export interface EncodedBody {
  text: string
  type: string
}

/** Writes the body with the values of its placeholders, escaped for its format. */
export function encodeBody(body: RequestBody, values: PlaceholderValues = {}): EncodedBody {
  if ('json' in body)
    return {
      type: 'application/json',
      text: fillPlaceholders(JSON.stringify(body.json), values, (value) => JSON.stringify(value).slice(1, -1)),
    }
  if ('form' in body) {
    const filled = Object.entries(body.form).map(([name, value]): [string, string] => [
      name,
      fillPlaceholders(value, values),
    ])
    return { type: 'application/x-www-form-urlencoded', text: new URLSearchParams(filled).toString() }
  }
  return { type: body.type, text: fillPlaceholders(body.text, values, escapeMarkup) }
}

function escapeMarkup(value: string): string {
  return value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;')
}

/** Whether fields can be added to it: of a checkpoint, or the cursor of a page. Others are parameters of the address. */
export function takesFields(body: RequestBody | undefined): boolean {
  return body !== undefined && ('form' in body || ('json' in body && isFields(body.json)))
}

/** The body with further fields; one that takes none is unchanged. */
export function withFields(body: RequestBody, fields: Record<string, string>): RequestBody {
  if ('form' in body) return { form: { ...body.form, ...fields } }
  return 'json' in body && isFields(body.json) ? { json: { ...body.json, ...fields } } : body
}

const isFields = (json: unknown): json is Record<string, unknown> =>
  json !== null && typeof json === 'object' && !Array.isArray(json)
