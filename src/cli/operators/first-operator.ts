import { firstLink, type NewLink } from '#flows/operators/links.ts'
import type { Running } from '../command.ts'

/** A link for the first operator, while there is none. */
export function firstOperatorLink({ url, store }: Running): Promise<NewLink | undefined> {
  return firstLink({ ...store, config: { baseUrl: url! } })
}

/** The lines that show it. */
export function describeFirstLink(url: string | undefined): string[] {
  if (url === undefined) return []
  return ['The dashboard has no operator yet. Become the first one (works once, for 24 hours):', `  ${url}`]
}
