import { entityText } from '#kit/read/html-entities.ts'

/** Limit: characters of a web page that are searched for the address of its feed; the rest is ignored. */
const MAX_HEAD = 512 * 1024
const FEED_TYPES = new Set(['application/rss+xml', 'application/atom+xml', 'application/feed+json'])

/**
 * The address of the feed that a web page names in its head; undefined where it names none. Nothing on the page is executed. A tag
 * has no `<` inside and an attribute begins at the start of a word, so every character is looked at a bounded number of times.
 */
export function feedLinkIn(text: string, address: string): string | undefined {
  const page = text.slice(0, MAX_HEAD)
  const body = /<body[\s>]/i.exec(page)
  const head = page.slice(0, body?.index ?? page.length)
  let base = address
  for (const [, name = '', attributes = ''] of head.matchAll(/<(link|base)\s([^<>]{1,4000})>/gi)) {
    const { href, rel = '', type = '' } = attributesIn(attributes)
    if (href === undefined || href === '') continue
    if (name.toLowerCase() === 'base') base = URL.parse(href, address)?.href ?? base
    else if (rel.toLowerCase().split(/\s+/).includes('alternate') && isFeedType(type))
      return URL.parse(href, base)?.href
  }
  return undefined
}

const isFeedType = (type: string): boolean => FEED_TYPES.has((type.split(';', 1)[0] ?? '').trim().toLowerCase())

function attributesIn(text: string): Record<string, string> {
  const found = text.matchAll(/(?<![a-z-])([a-z-]{1,40})\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi)
  return Object.fromEntries(
    [...found].map(([, name = '', double, single, bare]) => [
      name.toLowerCase(),
      (double ?? single ?? bare ?? '')
        .trim()
        .replaceAll(/&(#?\w{1,31});/g, (whole, entity: string) => entityText(entity) ?? whole),
    ]),
  )
}
