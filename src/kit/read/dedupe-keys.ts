import { MAX_DEDUPE_KEY, MAX_DEDUPE_KEYS, textKey } from '#model/items/dedupe-keys.ts'
import { murmur3Hex } from '#model/items/murmur3.ts'
import { composed } from '#model/items/words.ts'
import { trimEndOf } from '#platform/formats/trim-end.ts'

/** Parameters that say where a link was clicked, not where it leads. */
const TRACKING = /^(?:utm_\w+|fbclid|gclid|igsh|igshid|mc_cid|mc_eid|ref_src)$/
/** Limit: characters of a link that is compared with others; a longer one is not compared. */
const MAX_LINK = 2000
const TEXT_HASH_CHARS = 20

/**
 * Dedupe keys of a record's own pages and of the links in it. Links to its own service are left out: a quote or a reply is not a
 * copy. The address of a whole site identifies nothing and is left out too.
 */
export function linkKeys(pages: readonly (string | undefined)[], links: readonly (string | undefined)[]): string[] {
  const own = addressesOf(pages)
  const hosts = new Set(own.map(({ host }) => host))
  const linked = addressesOf(links).filter(({ host }) => !hosts.has(host))
  return [...own, ...linked].map(({ host, rest }) => bounded('link:', host + rest))
}

function addressesOf(links: readonly (string | undefined)[]): Address[] {
  return links.map(addressOf).filter((address) => address !== undefined)
}

interface Address {
  host: string
  rest: string
}

/** The parts of an address by which links to one page are equal; undefined for a whole site and for what is not a web address. */
function addressOf(link: string | undefined): Address | undefined {
  if (link === undefined || link.length > MAX_LINK || !URL.canParse(link)) return undefined
  const url = new URL(link)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
  for (const name of new Set(url.searchParams.keys())) if (TRACKING.test(name)) url.searchParams.delete(name)
  const rest = trimEndOf(url.pathname, '/') + url.search
  return rest === '' ? undefined : { host: url.host.replace(/^www\./, ''), rest }
}

function bounded(prefix: string, value: string): string {
  return prefix.length + value.length <= MAX_DEDUPE_KEY ? `${prefix}${value}` : `${prefix}#${murmur3Hex(value)}`
}

/** All dedupe keys of an item: first the one of its text, if it has one, then links and ids. Spaces separate keys. */
export function allKeys(text: string | undefined, others: readonly (string | null | undefined)[]): string[] {
  // A reader may return a value of the record that is not a text.
  const words = typeof text === 'string' ? composed(text).replaceAll(/\s+/g, ' ').trim() : ''
  const ofText = words === '' ? [] : [textKey(murmur3Hex(words).slice(0, TEXT_HASH_CHARS))]
  const rest = others.flatMap((given) => given?.split(/\s+/) ?? []).filter((dedupeKey) => dedupeKey !== '')
  return [...new Set([...ofText, ...rest.map((dedupeKey) => bounded('', dedupeKey))])].slice(0, MAX_DEDUPE_KEYS)
}
