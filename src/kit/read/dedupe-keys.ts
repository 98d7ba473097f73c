import { fileKey, isIdKey, linkKey, linkToId, MAX_DEDUPE_KEYS, pageKey, textKey } from '#model/items/dedupe-keys.ts'
import { murmur3Hex } from '#model/items/murmur3.ts'
import { addressOf, bounded } from '#model/items/page-address.ts'
import { composed } from '#model/items/words.ts'

const TEXT_HASH_CHARS = 20

/**
 * Dedupe keys of a record's own pages and of the links in it. Links to its own service are left out: a quote or a reply is not a
 * copy. The address of a whole site identifies nothing and is left out too. `idOf` says which record at another service a link
 * leads to, as one of the dedupe keys of that record.
 */
export function linkKeys(
  pages: readonly (string | undefined)[],
  links: readonly (string | undefined)[],
  idOf: (link: string) => string | undefined = () => undefined,
): string[] {
  const own = addressesOf(pages)
  const hosts = new Set(own.map(({ host }) => host))
  const linked = addressesOf(links).filter(({ host }) => !hosts.has(host))
  const ids = links.flatMap((link) => (link === undefined ? [] : (idOf(link) ?? [])))
  return [
    ...own.map(({ page }) => bounded(pageKey, page)),
    ...ids.map(linkToId),
    ...linked.map(({ page }) => bounded(linkKey, page)),
  ]
}

/** The dedupe key of a picture or a film, by the address of its file. */
export function fileKeyOf(address: string | undefined): string | undefined {
  const file = addressOf(address)
  return file && bounded(fileKey, file.page)
}

function addressesOf(links: readonly (string | undefined)[]): NonNullable<ReturnType<typeof addressOf>>[] {
  return links.map(addressOf).filter((address) => address !== undefined)
}

/** All dedupe keys of an item: first the one of its text, if it has one, then ids, then links. Spaces separate keys. */
export function allKeys(text: string | undefined, others: readonly (string | null | undefined)[]): string[] {
  // A reader may return a value of the record that is not a text.
  const words = typeof text === 'string' ? composed(text).replaceAll(/\s+/g, ' ').trim() : ''
  const ofText = words === '' ? [] : [textKey(murmur3Hex(words).slice(0, TEXT_HASH_CHARS))]
  const rest = others
    .flatMap((given) => given?.split(/\s+/) ?? [])
    .filter((dedupeKey) => dedupeKey !== '')
    .map((dedupeKey) => bounded(String, dedupeKey))
  const [ids, links] = [rest.filter(isIdKey), rest.filter((dedupeKey) => !isIdKey(dedupeKey))]
  return [...new Set([...ofText, ...ids, ...links])].slice(0, MAX_DEDUPE_KEYS)
}
