import type { z } from 'zod'
import { parse } from '../input.ts'
import type { Query } from '../query.ts'
import { parseTextQuery } from '../text-query.ts'
import { itemQuery, servicesQuery } from './schema.ts'

type ItemQuery = z.output<typeof itemQuery>

/** Converts validated parameters to a query. Defaults: from the beginning until now. */
export function toQuery(input: ItemQuery, nowMs: number): Query {
  return {
    limit: input.limit,
    since: input.since ?? 0,
    until: input.until ?? nowMs,
    before: input.before,
    sort: input.sort,
    terms: input.q === undefined ? undefined : parseTextQuery(input.q),
    participants: input.participants ?? [],
    near: input.near && { ...input.near, km: input.within },
    dedup: input.dedup,
  }
}

/** Reads the parameters of an API path outside a request, such as a push filter, by the same rules. */
export function readItemQuery(
  parameters: URLSearchParams,
  nowMs: number,
): { query: Query; services: string[] | undefined } {
  const named = Map.groupBy(parameters, ([name]) => name)
  const given = Object.fromEntries(
    [...named].map(([name, pairs]) => {
      const values = pairs.map(([, value]) => value)
      return [name, values.length > 1 ? values : values[0]]
    }),
  )
  const input = parse(itemQuery.extend(servicesQuery), given, 'bad_parameter')
  return { query: toQuery(input, nowMs), services: input.services }
}
