import { kind, timeOf } from '#kit/kind.ts'
import { murmur3Hex } from '#model/murmur3.ts'
import type { BaseType } from '#model/types.ts'
import type { Media } from './shapes.ts'

// Without place and likers, which this API does not have.
const MEDIA = 'id,caption,media_type,media_product_type,media_url,permalink,thumbnail_url,timestamp,username'

export const OWN_FIELDS = `${MEDIA},owner,shortcode,alt_text,like_count,comments_count,is_comment_enabled,is_shared_to_feed,children{id,media_type,media_url,thumbnail_url,timestamp}`
export const STORY_FIELDS = `${MEDIA},owner,shortcode,like_count,comments_count`
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

/** Shorter captions are too common to identify a photo. */
const MINIMUM_CAPTION_CHARS = 20

function dedupeKeysOf(media: Media): (string | undefined)[] {
  const code = shortcodeOf(media)
  const { caption = '' } = media
  return [
    code && `guid:instagram/#${code}`,
    caption.length >= MINIMUM_CAPTION_CHARS ? `caption:instagram/#${murmur3Hex(caption)}` : undefined,
  ]
}

const firstOf = (media: Media) => media.children?.data?.[0] ?? media

/** `media_url` of a video is not an image. */
function imageOf(media: Media): string | undefined {
  const { media_type, media_url, thumbnail_url } = media.media_url === undefined ? firstOf(media) : media
  return media_type === 'VIDEO' ? thumbnail_url : media_url
}

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
    url: (one) => (typesOf(one).includes('photos') ? imageOf(one) : one.permalink),
    description: (one) => one.alt_text,
    provider_url: (one) => one.permalink,
  },
})

export const media = kind<Media>({ ...taggedMedia, participants: (one) => ({ author: one.owner?.id }) })
