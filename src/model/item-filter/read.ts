import type { z } from 'zod'
import { parse } from '../input/input.ts'
import { nearestName } from '../input/nearest-name.ts'
import type { Query } from '../items/query.ts'
import { parseTextQuery } from '../items/text-query.ts'
import { itemQuery, servicesQuery } from './schema.ts'

type ItemQuery = z.output<typeof itemQuery>

/** Converts validated parameters to a query. Defaults: from the beginning until now. */
export function toQuery(input: ItemQuery, nowMs: number): Query {
  return {
    limit: input.limit,
    ...toTimeRange(input, nowMs),
    updatedSince: input.updated_since,
    before: input.before,
    sort: input.sort,
    terms: input.q === undefined ? undefined : parseTextQuery(input.q),
    participants: input.participants ?? [],
    near: input.near && { ...input.near, km: input.within },
    dedup: input.dedup,
    copyOf: input.copy_of,
    link: input.link,
  }
}

const filterQuery = itemQuery.extend(servicesQuery)

/** What is wrong with the first parameter that no path of items has, or undefined. */
export function unknownParameterFault(parameters: URLSearchParams): string | undefined {
  const known = Object.keys(filterQuery.shape)
  const unknown = [...parameters.keys()].find((name) => !known.includes(name))
  if (unknown === undefined) return undefined
  const nearest = nearestName(unknown, known)
  return `Unknown parameter “${unknown}”.${nearest === undefined ? '' : ` Did you mean “${nearest}”?`}`
}

/** From the beginning until now, unless the parameters say otherwise. */
export function toTimeRange(
  { since, until }: { since?: number | undefined; until?: number | undefined },
  nowMs: number,
): { since: number; until: number } {
  return { since: since ?? 0, until: until ?? nowMs }
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
  const input = parse(filterQuery, given, 'bad_parameter')
  return { query: toQuery(input, nowMs), services: input.services }
}
