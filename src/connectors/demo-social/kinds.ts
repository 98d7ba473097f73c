import { linkKeys } from '#kit/read/dedupe-keys.ts'
import { kind, linksIn, timeOf } from '#kit/read/kind.ts'
import type { BaseType } from '#model/items/types.ts'

export interface Someone {
  id: string
  username?: string
  name?: string
  url?: string
  avatar_url?: string
}

export interface Friend extends Someone {
  friends_since?: string
}

/** A post, a photo, or a deletion, by `type` and `deleted`. */
export interface Entry {
  id: string
  type?: 'status' | 'link' | 'checkin' | 'photo'
  author?: Someone
  created_at?: string
  edited_at?: string | null
  text?: string
  caption?: string | null
  language?: string | null
  mentions?: Someone[]
  tagged?: Someone[]
  link?: { url?: string; title?: string; description?: string }
  place?: { name?: string; city?: string; lat?: number; lng?: number }
  images?: { width: number; height: number; url: string }[]
  width?: number
  height?: number
  likes?: { count?: number; people?: Someone[] }
  comments?: { count?: number; data?: { author?: Someone }[] }
  url?: string
  deleted?: boolean
  deleted_at?: string
}

/** When an entry last changed; `updated_since` compares this time. */
export function changedAt(entry: Entry): number | undefined {
  return timeOf(entry.deleted_at ?? entry.edited_at ?? entry.created_at)
}

function typesOf({ type, text }: Entry): BaseType[] {
  if (type === 'photo') return ['photos']
  if (type === 'link') return ['statuses', 'news']
  if (type === 'checkin') return text ? ['checkins', 'statuses'] : ['checkins']
  return ['statuses']
}

const textOf = ({ text, caption }: Entry) => text ?? caption
const linksOf = (entry: Entry) =>
  [...new Set([entry.link?.url ?? '', ...linksIn(textOf(entry))])].filter((url) => url !== '')

function entryKind(name: string) {
  return kind<Entry>({
    name,
    id: ({ id }) => id,
    at: ({ created_at }) => timeOf(created_at),
    types: typesOf,
    deleted: ({ deleted }) => deleted === true,
    guid: (entry) => linkKeys([entry.url], linksOf(entry)),
    participants: ({ author, comments, likes, tagged, mentions }) => ({
      author: author?.id,
      others: [
        ...(comments?.data ?? []).map((one) => one.author),
        ...(likes?.people ?? []),
        ...(tagged ?? mentions ?? []),
      ].map((person) => person?.id),
    }),
    place: ({ place }) =>
      place?.lat === undefined || place.lng === undefined ? undefined : { lat: place.lat, lng: place.lng },
    map: {
      text: textOf,
      author: ({ author }) =>
        author && { name: author.name, url: author.url, photo: author.avatar_url, handle: author.username },
      urls: linksOf,
      url: ({ url }) => url,
      image: ({ images }) => images?.[0]?.url,
      media: ({ images }) => images?.[0]?.url,
      place: ({ place }) => [place?.name, place?.city].filter(Boolean).join(', '),
      lang: ({ language }) => language,
      counts: ({ likes, comments }) => (likes || comments) && { likes: likes?.count, comments: comments?.count },
    },
    card: { provider_url: ({ url }) => url },
    cards: {
      photos: {
        title: ({ caption }) => caption,
        thumbnail_url: ({ images }) => images?.at(-1)?.url,
        width: ({ width }) => width,
        height: ({ height }) => height,
      },
      news: { title: ({ link }) => link?.title, description: ({ link }) => link?.description },
      checkins: { title: ({ place }) => place?.name },
    },
  })
}

export const post = entryKind('post')
export const photo = entryKind('photo')

export const contact = kind<Friend>({
  name: 'contact',
  id: ({ id }) => id,
  at: ({ friends_since }) => timeOf(friends_since),
  map: {
    name: ({ name }) => name,
    nickname: ({ username }) => username,
    photo: ({ avatar_url }) => avatar_url,
    url: ({ url }) => url,
  },
  card: { id: ({ id }) => id },
})
