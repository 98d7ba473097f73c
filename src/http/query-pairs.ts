import type { FastifyRequest } from 'fastify'
import { decodePercent } from '#platform/decode-percent.ts'

/** Its names and what each was given: a text, or several. */
export function queryOf({ query }: FastifyRequest): Record<string, unknown> {
  return typeof query === 'object' ? { ...query } : {}
}

/** A query as it was written, less the pairs of some names, however these are spelled. */
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
