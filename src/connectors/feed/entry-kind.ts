import { linkKeys } from '#kit/read/dedupe-keys.ts'
import { kind } from '#kit/read/kind.ts'
import { murmur3Hex } from '#model/items/murmur3.ts'
import type { BaseType } from '#model/items/types.ts'
import { jsonReader } from './read-json.ts'
import { xmlReader } from './read-xml.ts'
import type { EntryReader, FeedRecord, Medium } from './shapes.ts'

/** Limit: characters of an entry's own id; of a longer one, a hash is the id. */
const MAX_ID = 500

export const readerOf = (record: FeedRecord): EntryReader =>
  record.format === 'json' ? jsonReader(record) : xmlReader(record)

/** The id of the entry, else its address, else a hash of what it says. */
function idOf(record: FeedRecord): string {
  const entry = readerOf(record)
  const id = entry.id() ?? entry.url()
  if (id !== undefined) return id.length <= MAX_ID ? id : `#${murmur3Hex(id)}`
  const said = [entry.title(), entry.text(), entry.media()[0]?.url].filter((one) => one !== undefined).join('\n')
  return said === '' ? '' : `#${murmur3Hex(said)}`
}

const TYPE_OF_MIME: Record<string, BaseType> = { image: 'photos', video: 'videos', audio: 'tracks' }
const EXTENSIONS: Record<string, BaseType> = {
  mp3: 'tracks',
  m4a: 'tracks',
  mp4: 'videos',
  jpg: 'photos',
  png: 'photos',
}

function typeOf({ mime = '', url }: Medium): BaseType | undefined {
  const extension = /\.([a-z0-9]{2,4})$/i.exec(URL.parse(url)?.pathname ?? '')?.[1]?.toLowerCase() ?? ''
  return TYPE_OF_MIME[mime.split('/', 1)[0] ?? ''] ?? EXTENSIONS[extension]
}

const ofType = (record: FeedRecord, type: BaseType): Medium | undefined =>
  readerOf(record)
    .media()
    .find((one) => typeOf(one) === type)
const firstMedium = (record: FeedRecord): Medium | undefined => readerOf(record).media()[0]
const pictureOf = (record: FeedRecord): string | undefined => readerOf(record).image() ?? ofType(record, 'photos')?.url

/** When it was published; without that, when it last changed. */
export const timeOfEntry = (record: FeedRecord): number | undefined => {
  const entry = readerOf(record)
  return entry.published() ?? entry.updated()
}

/** When it last changed. */
export const changeOfEntry = (record: FeedRecord): number | undefined => {
  const entry = readerOf(record)
  return entry.updated() ?? entry.published()
}

/** An entry with a title is an article, one without is a short message, as in JSON Feed. */
export const entryKind = kind<FeedRecord>({
  name: 'entry',
  id: idOf,
  at: timeOfEntry,
  types: (record) => {
    const entry = readerOf(record)
    const media = entry.media().flatMap((one) => typeOf(one) ?? [])
    return [...new Set<BaseType>([entry.title() === undefined ? 'statuses' : 'news', ...media])]
  },
  guid: (record) => linkKeys([readerOf(record).url()], []),
  // The feed itself is who made it; names of authors are in `map`.
  participants: () => ({}),
  place: (record) => readerOf(record).place(),
  map: {
    title: (record) => readerOf(record).title(),
    text: (record) => {
      const entry = readerOf(record)
      return [entry.title(), entry.text()].filter(Boolean).join('\n\n')
    },
    url: (record) => readerOf(record).url(),
    urls: (record) => [...new Set(readerOf(record).links())],
    author: (record) => {
      const author = readerOf(record).author()
      return author && { ...author, id: null }
    },
    artist: (record) => (ofType(record, 'tracks') === undefined ? undefined : readerOf(record).author()?.name),
    image: pictureOf,
    media: (record) => firstMedium(record)?.url,
    mime: (record) => firstMedium(record)?.mime,
    bytes: (record) => firstMedium(record)?.bytes,
    seconds: (record) => firstMedium(record)?.seconds,
    lang: (record) => readerOf(record).lang(),
  },
  card: {
    title: (record) => readerOf(record).title(),
    description: (record) => readerOf(record).summary(),
    thumbnail_url: pictureOf,
    provider_url: (record) => record.base,
  },
  cards: {
    news: { url: (record) => readerOf(record).url() },
    photos: { url: (record) => ofType(record, 'photos')?.url },
    videos: { url: (record) => ofType(record, 'videos')?.url },
  },
})
