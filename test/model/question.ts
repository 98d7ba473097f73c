import type { Place } from './distance.ts'
import type { Term } from './words.ts'

/** One request, as plain data. */
export interface Question {
  of: { type: string } | { service: string; owner: string | undefined; endpoint: string }
  limit: number | undefined
  since: number | undefined
  until: number | undefined
  updatedSince: number | undefined
  sort: 'asc' | 'desc' | undefined
  terms: readonly Term[]
  people: readonly string[]
  near: Place | undefined
  within: number | undefined
  services: readonly string[] | undefined
  fields: readonly string[] | undefined
  dedup: boolean
  map: boolean
  count: boolean
}

export function addressOf({ of, ...asked }: Question): string {
  const params = new URLSearchParams()
  const add = (name: string, value: string | number | undefined) => {
    if (value !== undefined) params.set(name, String(value))
  }
  add('limit', asked.limit)
  add('since', asked.since)
  add('until', asked.until)
  add('updated_since', asked.updatedSince)
  add('sort', asked.sort)
  add('q', asked.terms.length === 0 ? undefined : asked.terms.map(writeTerm).join(' '))
  add('participants', asked.people.length === 0 ? undefined : asked.people.join(','))
  add('near', asked.near?.join(','))
  add('within', asked.within)
  add('services', asked.services?.join(','))
  add('fields', asked.fields?.join(','))
  if (asked.dedup) add('dedup', 'true')
  if (asked.map) add('map', 'true')
  if (asked.count) add('count', 'true')
  const path = 'type' in of ? `types/${of.type}` : `services/${encodeURIComponent(nameOf(of))}/${of.endpoint}`
  return `/${path}?${params.toString()}`
}

/** `service`, or `id@service` with the id percent-encoded. */
export function nameOf({ service, owner }: { service: string; owner: string | undefined }): string {
  return owner === undefined ? service : `${encodeURIComponent(owner)}@${service}`
}

function writeTerm({ written, isExcluded, isPrefix, isQuoted }: Term): string {
  return `${isExcluded ? '-' : ''}${isQuoted ? `"${written}"` : written}${isPrefix ? '*' : ''}`
}
