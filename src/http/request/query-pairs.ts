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

function nameOf(pair: string): string {
  const [name = ''] = pair.split('=', 1)
  if (!/[%+]/.test(name)) return name
  return decodePercent(name.replaceAll('+', ' ')) ?? name
}
