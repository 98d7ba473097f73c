import { linksIn, plainText } from '#kit/read/kind.ts'
import { timeIn } from './dates.ts'
import type { EntryReader, JsonFeed, JsonItem, JsonRecord, Medium } from './shapes.ts'
import { addressIn, countIn, durationIn, shared, textOf } from './texts.ts'

/** Limit: attachments of one entry of a feed; further ones are left out. */
const MAX_MEDIA = 50

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : [])
const authorOf = ({ authors, author }: { authors?: unknown; author?: unknown }): Fields | undefined =>
  listOf(authors)[0] ?? (isFields(author) ? author : undefined)

export function jsonRecords(feed: JsonFeed): JsonRecord[] | undefined {
  if (!Array.isArray(feed.items)) return undefined
  const base = addressIn(feed.feed_url) ?? addressIn(feed.home_page_url)
  const author = shared(authorOf(feed)?.['name'])
  const lang = shared(feed.language)
  return feed.items.map((entry: JsonItem) => ({
    format: 'json',
    ...(base !== undefined && { base }),
    ...(author !== undefined && isFields(entry) && authorOf(entry) === undefined && { author }),
    ...(lang !== undefined && { lang }),
    entry,
  }))
}

export function jsonReader({ entry, base, author, lang }: JsonRecord): EntryReader {
  const html = textOf(entry.content_html)
  const by = authorOf(entry)
  const name = textOf(by?.['name']) ?? author
  const media = () =>
    listOf(entry.attachments)
      .slice(0, MAX_MEDIA)
      .flatMap((one): Medium[] => {
        const url = addressIn(one['url'], base)
        const mime = shared(one['mime_type'])
        return url === undefined
          ? []
          : [{ url, mime, bytes: countIn(one['size_in_bytes']), seconds: durationIn(one['duration_in_seconds']) }]
      })
  return {
    id: () => textOf(entry.id),
    title: () => textOf(entry.title),
    url: () => addressIn(entry.url, base) ?? addressIn(entry.external_url, base),
    text: () => textOf(entry.content_text) ?? plainText(html),
    summary: () => textOf(entry.summary),
    links: () => [
      ...[addressIn(entry.external_url, base)].filter((one) => one !== undefined),
      ...linksIn(html?.replaceAll('&amp;', '&') ?? textOf(entry.content_text)),
    ],
    published: () => timeIn(textOf(entry.date_published)),
    updated: () => timeIn(textOf(entry.date_modified)),
    author: () => (name === undefined ? undefined : { name, url: addressIn(by?.['url'], base) }),
    media,
    image: () => addressIn(entry.image, base) ?? addressIn(entry.banner_image, base),
    place: () => undefined,
    lang: () => shared(entry.language) ?? lang,
  }
}
