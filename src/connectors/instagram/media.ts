import { linkKeys } from '#kit/read/dedupe-keys.ts'
import { kind, linksIn, timeOf } from '#kit/read/kind.ts'
import type { BaseType } from '#model/items/types.ts'
import type { Media } from './shapes.ts'

// Without place and likers, which this API does not have.
const MEDIA = 'id,caption,media_type,media_product_type,media_url,permalink,thumbnail_url,timestamp,username'

export const OWN_FIELDS = `${MEDIA},owner,shortcode,alt_text,like_count,comments_count,is_comment_enabled,is_shared_to_feed,children{id,media_type,media_url,thumbnail_url,timestamp}`
export const STORY_FIELDS = `${MEDIA},owner,shortcode,like_count,comments_count`
/** Comments need a permission of their own, without which the whole request is refused. */
export const COMMENTERS = 'comments.limit(25){id,from}'
/** Media of others have fewer fields. */
export const TAGGED_FIELDS = `${MEDIA},like_count,comments_count,children{id,media_type,media_url}`

function typesOf({ media_type, children }: Media): BaseType[] {
  if (media_type !== 'CAROUSEL_ALBUM') return [media_type === 'VIDEO' ? 'videos' : 'photos']
  const kinds = new Set((children?.data ?? []).map((child) => child.media_type))
  if (!kinds.has('VIDEO')) return ['photos']
  return kinds.has('IMAGE') ? ['photos', 'videos'] : ['videos']
}

function shortcodeOf({ shortcode, permalink = '' }: Media): string | undefined {
  return shortcode ?? /\/(?:p|reels?|tv)\/([\w-]+)/.exec(permalink)?.[1]
}

function dedupeKeysOf(media: Media): (string | undefined)[] {
  const code = shortcodeOf(media)
  return [code && `guid:instagram/#${code}`, ...linkKeys([media.permalink], linksIn(media.caption))]
}

const firstOf = (media: Media) => media.children?.data?.[0] ?? media

/** `media_url` of a video is not an image. */
function imageOf(media: Media): string | undefined {
  const { media_type, media_url, thumbnail_url } = media.media_url === undefined ? firstOf(media) : media
  return media_type === 'VIDEO' ? thumbnail_url : media_url
}

const childOf = (media: Media, type: 'IMAGE' | 'VIDEO') =>
  media.children?.data?.find(({ media_type }) => media_type === type)

const mediaOf = (media: Media): string | undefined => media.media_url ?? firstOf(media).media_url

/** Media of others have only the user name of the owner, not the id. */
export const taggedMedia = kind<Media>({
  name: 'photo',
  id: (one) => one.id,
  at: (one) => timeOf(one.timestamp),
  types: typesOf,
  guid: dedupeKeysOf,
  map: {
    name: (one) => one.caption,
    text: (one) => one.caption,
    author: ({ username }) =>
      username === undefined
        ? undefined
        : { name: username, handle: username, url: `https://www.instagram.com/${username}/` },
    url: (one) => one.permalink,
    image: imageOf,
    media: mediaOf,
    earliest: (one) => timeOf(one.timestamp),
    counts: (one) => ({ likes: one.like_count, comments: one.comments_count }),
  },
  card: {
    description: (one) => one.alt_text,
    provider_url: (one) => one.permalink,
  },
  cards: {
    photos: {
      url: (one) => childOf(one, 'IMAGE')?.media_url ?? imageOf(one),
      thumbnail_url: (one) => childOf(one, 'IMAGE')?.media_url ?? imageOf(one),
    },
    videos: { thumbnail_url: (one) => childOf(one, 'VIDEO')?.thumbnail_url ?? one.thumbnail_url },
  },
})

export const media = kind<Media>({
  ...taggedMedia,
  participants: ({ owner, comments }) => ({
    author: owner?.id,
    others: (comments?.data ?? []).map(({ from }) => from?.id),
  }),
})
