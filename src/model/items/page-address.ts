import { trimEndOf } from '#platform/formats/trim-end.ts'
import { linkKey, MAX_DEDUPE_KEY, pageKey } from './dedupe-keys.ts'
import { murmur3Hex } from './murmur3.ts'

/** Parameters that say where a link was clicked, not where it leads. */
const TRACKING = /^(?:utm_\w+|fbclid|gclid|igsh|igshid|mc_cid|mc_eid|ref_src)$/
/** Limit: characters of a link that is compared with others; a longer one is not compared, and is answered with 400 as a parameter. */
export const MAX_LINK = 2000

interface PageAddress {
  host: string
  /** Host, path and query. */
  page: string
}

/** The parts of an address by which links to one page are equal; undefined for a whole site and for what is not a web address. */
export function addressOf(link: string | undefined): PageAddress | undefined {
  if (link === undefined || link.length > MAX_LINK || !URL.canParse(link)) return undefined
  const url = new URL(link)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
  for (const name of new Set(url.searchParams.keys())) if (TRACKING.test(name)) url.searchParams.delete(name)
  const rest = trimEndOf(url.pathname, '/') + url.search
  const host = url.host.replace(/^www\./, '')
  return rest === '' ? undefined : { host, page: host + rest }
}

/** A dedupe key of this value, or of its hash where it is too long. */
export function bounded(keyOf: (value: string) => string, value: string): string {
  const dedupeKey = keyOf(value)
  return dedupeKey.length <= MAX_DEDUPE_KEY ? dedupeKey : keyOf(`#${murmur3Hex(value)}`)
}

/** The dedupe keys of the page at an address and of links to it; none when it is not the address of a page. */
export function keysOfPage(link: string): string[] {
  const address = addressOf(link)
  return address === undefined ? [] : [bounded(pageKey, address.page), bounded(linkKey, address.page)]
}
