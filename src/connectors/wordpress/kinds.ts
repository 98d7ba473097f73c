import { linkKeys } from '#kit/read/dedupe-keys.ts'
import { kind, linksIn, plainText, timeOf } from '#kit/read/kind.ts'
import type { BaseType } from '#model/items/types.ts'
import type { Comment, Media, Post, Rendered } from './shapes.ts'

/** Times end with `_gmt` and have no zone. */
export function utcOf(text: string | null | undefined): number | undefined {
  return text === null || text === undefined || text === '' ? undefined : timeOf(`${text}Z`)
}

export function largestAvatar(urls: Record<string, string> | undefined): string | undefined {
  const [largest] = Object.keys(urls ?? {}).sort((a, b) => Number(b) - Number(a))
  return largest === undefined ? undefined : urls?.[largest]
}

const textOf = (one: Rendered | undefined) => plainText(one?.rendered)
const linksOf = (one: Rendered | undefined) => linksIn((one?.rendered ?? '').replaceAll('&amp;', '&'))
const pictureOf = (post: Post): Media | undefined => {
  const media = post._embedded?.['wp:featuredmedia']?.[0]
  // A picture that the person may not see is embedded as an error.
  return media?.source_url === undefined ? undefined : media
}
const thumbnailOf = ({ media_details: details, source_url: original }: Media) =>
  details?.sizes?.['medium']?.source_url ?? details?.sizes?.['thumbnail']?.source_url ?? original

/** Posts and pages. A draft has no time of publication yet. */
function written(name: 'post' | 'page') {
  return kind<Post>({
    name,
    id: ({ id }) => id,
    at: (post) => utcOf(post.date_gmt) ?? utcOf(post.modified_gmt),
    types: (post) => (pictureOf(post) === undefined ? ['statuses'] : ['statuses', 'photos']),
    deleted: ({ status }) => status === 'trash',
    guid: ({ link }) => linkKeys([link], []),
    participants: ({ author }) => ({ author }),
    map: {
      title: ({ title }) => textOf(title),
      text: ({ title, content, excerpt }) =>
        [textOf(title), textOf(content) || textOf(excerpt)].filter(Boolean).join('\n\n'),
      url: ({ link }) => link,
      urls: ({ content }) => linksOf(content),
      image: (post) => pictureOf(post)?.source_url,
    },
    card: {
      title: ({ title }) => textOf(title),
      description: ({ excerpt }) => textOf(excerpt),
      provider_url: ({ link }) => link,
    },
    cards: {
      photos: {
        url: (post) => pictureOf(post)?.source_url,
        thumbnail_url: (post) => {
          const media = pictureOf(post)
          return media === undefined ? undefined : thumbnailOf(media)
        },
        width: (post) => pictureOf(post)?.media_details?.width,
        height: (post) => pictureOf(post)?.media_details?.height,
      },
    },
  })
}

export const post = written('post')
export const page = written('page')

const TYPE_OF_MIME: Record<string, BaseType> = { image: 'photos', video: 'videos', audio: 'tracks' }

export const media = kind<Media>({
  name: 'media',
  id: ({ id }) => id,
  at: ({ date_gmt }) => utcOf(date_gmt),
  types: ({ mime_type: mime }) => [TYPE_OF_MIME[mime?.split('/', 1)[0] ?? ''] ?? 'files'],
  deleted: ({ status }) => status === 'trash',
  participants: ({ author }) => ({ author }),
  map: {
    title: ({ title }) => textOf(title),
    text: ({ caption, alt_text: alt, title }) => textOf(caption) || alt || textOf(title),
    url: ({ link }) => link,
    image: (one) => (one.mime_type?.startsWith('image/') === true ? one.source_url : undefined),
    media: ({ source_url }) => source_url,
    mime: ({ mime_type }) => mime_type,
    bytes: ({ media_details }) => media_details?.filesize,
    path: ({ source_url }) => source_url?.split('/').at(-1),
  },
  card: { title: ({ title }) => textOf(title), provider_url: ({ link }) => link },
  cards: {
    photos: {
      url: ({ source_url }) => source_url,
      thumbnail_url: thumbnailOf,
      width: ({ media_details }) => media_details?.width,
      height: ({ media_details }) => media_details?.height,
    },
    videos: { url: ({ source_url }) => source_url },
  },
})

export const comment = kind<Comment>({
  name: 'comment',
  id: ({ id }) => id,
  at: ({ date_gmt }) => utcOf(date_gmt),
  // Visitors without an account have the id 0, and are known by the name that they gave.
  participants: ({ author, author_name: name = '' }) => ({ author: author === 0 ? `guest ${name}`.trim() : author }),
  map: {
    text: ({ content }) => textOf(content),
    author: ({ author_name: name, author_url: url, author_avatar_urls: photos }) => ({
      name,
      url: url === '' ? undefined : url,
      photo: largestAvatar(photos),
    }),
    url: ({ link }) => link,
    urls: ({ content }) => linksOf(content),
  },
  card: { provider_url: ({ link }) => link },
})
