import type { logSearch } from '../../search.ts'

type Address = ReturnType<typeof logSearch>

/** Act at once. */
const CHOICES = ['kind', 'outcome'] as const
/** Act when the form is submitted. */
export const TEXTS = ['q', 'service', 'reason', 'account'] as const
const FILTERS = [...CHOICES, ...TEXTS]
export type Choice = (typeof CHOICES)[number]
export type Filter = (typeof FILTERS)[number]

/** The part of the address that the API understands. */
export function filtersIn(address: Address): Partial<Record<Filter, string>> {
  return Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = address[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** What the form changes in the address when it is submitted. */
export const submitted = (texts: Address): Address =>
  Object.fromEntries(TEXTS.map((name) => [name, texts[name]?.trim()]))

export const withoutFilters: Address = Object.fromEntries(FILTERS.map((name) => [name, undefined]))
