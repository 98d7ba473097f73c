import { decodePercent } from '#platform/formats/decode-percent.ts'
import type { HttpRequest } from '../exchange/request.ts'

/** The parsed query: each name with its text, or several texts. */
export function queryOf({ query }: HttpRequest): Record<string, unknown> {
  return typeof query === 'object' ? { ...query } : {}
}

/** Removes the pairs of some names, in any encoding, from a query; the other pairs stay as they were written. */
export function withoutNames(query: string, names: ReadonlySet<string>): string {
  return query
    .split('&')
    .filter((pair) => pair !== '' && !names.has(nameOf(pair)))
    .join('&')
}

/** Removes those pairs of some names whose values are wanted; the other pairs of a query or form stay as they were written. */
export function takePairs(pairs: string, names: ReadonlySet<string>, isWanted: (value: string) => boolean): string {
  return pairs
    .split('&')
    .filter((pair) => !(names.has(nameOf(pair)) && isWanted(formDecoded(pair.slice(pair.indexOf('=') + 1)))))
    .join('&')
}

/** Whether a content type is that of a form whose fields are written as in a query. */
export function isForm(contentType: string | undefined): boolean {
  return /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType ?? '')
}

function nameOf(pair: string): string {
  const [name = ''] = pair.split('=', 1)
  return formDecoded(name)
}

function formDecoded(text: string): string {
  if (!/[%+]/.test(text)) return text
  return decodePercent(text.replaceAll('+', ' ')) ?? text
}
