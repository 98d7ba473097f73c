import { kind, linksIn, timeOf } from '#kit/read/kind.ts'
import type { BaseType } from '#model/items/types.ts'
import { authorOf, countsOf, dedupeKeysOf, idsOf, placeOf } from './reading.ts'
import type { Attachment, Post } from './shapes.ts'

export const POST_FIELDS = [
  'id,created_time,updated_time,from{id,name},to{id,name},message,message_tags,story,privacy',
  'place{id,name,location},permalink_url,full_picture,status_type,application{id,name},shares',
  'attachments{title,description,type,media_type,url,unshimmed_url,target,media,subattachments}',
  'comments.limit(25).summary(true){id,from{id,name},message,created_time}',
  'reactions.limit(25).summary(true){id,name,type}',
].join(',')

const attachmentOf = (post: Post): Attachment | undefined => post.attachments?.data?.[0]
const attachedAs = (post: Post, type: BaseType): Attachment | undefined =>
  post.attachments?.data?.find((one) => mediaType(one) === type)
const targetOf = (one: Attachment | undefined): string | undefined => one?.unshimmed_url ?? one?.url ?? one?.target?.url

const TYPE_OF_MEDIA: Record<string, BaseType> = { photo: 'photos', album: 'photos', video: 'videos', link: 'news' }

function mediaType({ media_type: media = '', type = '' }: Attachment): BaseType | undefined {
  if (Object.hasOwn(TYPE_OF_MEDIA, media)) return TYPE_OF_MEDIA[media]
  if (/photo|album/.test(type)) return 'photos'
  if (/video/.test(type)) return 'videos'
  return /share|link/.test(type) ? 'news' : undefined
}

function typesOf(post: Post): BaseType[] {
  const attached = (post.attachments?.data ?? []).map(mediaType).filter((type) => type !== undefined)
  const linked = post.message !== undefined && linksIn(post.message).length > 0
  const types = new Set<BaseType>([
    ...(post.message === undefined ? [] : (['statuses'] as const)),
    ...(post.place === undefined ? [] : (['checkins'] as const)),
    ...attached,
    ...(linked ? (['news'] as const) : []),
  ])
  // The `story` is written by Facebook, so it counts only if the post has nothing else.
  if (types.size === 0 && post.story !== undefined && !/\bare now friends\b/.test(post.story)) types.add('statuses')
  return [...types]
}

function linksOf(post: Post): string[] {
  const attached = (post.attachments?.data ?? []).filter((one) => mediaType(one) === 'news').map(targetOf)
  return [...new Set([...linksIn(post.message), ...attached.filter((link) => link !== undefined)])]
}

const isLinkOnly = (post: Post): boolean => {
  const types = typesOf(post)
  return types.includes('news') && !types.some((type) => ['checkins', 'photos', 'videos'].includes(type))
}
const imageOf = (post: Post): string | undefined => attachmentOf(post)?.media?.image?.src ?? post.full_picture

export const post = kind<Post>({
  name: 'post',
  id: (one) => one.id,
  at: (one) => timeOf(one.created_time),
  types: typesOf,
  guid: (one) => dedupeKeysOf(one.permalink_url, [...linksOf(one), targetOf(attachmentOf(one))]),
  participants: (one) => ({
    author: one.from?.id,
    others: [
      ...(one.comments?.data ?? []).map(({ from }) => from?.id),
      ...idsOf(one.reactions?.data),
      ...idsOf(one.to?.data),
      ...idsOf((one.message_tags ?? []).filter(({ type }) => type === 'user')),
    ],
  }),
  place: (one) => placeOf(one.place),
  map: {
    name: (one) => (isLinkOnly(one) ? attachmentOf(one)?.title : (one.place?.name ?? attachmentOf(one)?.title)),
    text: (one) => one.message ?? attachmentOf(one)?.description ?? one.story,
    author: (one) => authorOf(one.from),
    url: (one) => one.permalink_url,
    urls: linksOf,
    image: imageOf,
    media: (one) => attachmentOf(one)?.media?.source,
    earliest: (one) => timeOf(one.created_time),
    place: (one) => one.place?.name,
    counts: (one) => ({ ...countsOf(one), shares: one.shares?.count }),
  },
  card: {
    thumbnail_url: (one) => one.full_picture,
    provider_url: (one) => one.permalink_url,
  },
  cards: {
    checkins: { description: (one) => one.message },
    photos: {
      title: (one) => attachedAs(one, 'photos')?.title ?? one.message,
      url: (one) => attachedAs(one, 'photos')?.media?.image?.src ?? one.full_picture,
      description: (one) => attachedAs(one, 'photos')?.description ?? one.message,
      width: (one) => attachedAs(one, 'photos')?.media?.image?.width,
      height: (one) => attachedAs(one, 'photos')?.media?.image?.height,
    },
    videos: {
      title: (one) => attachedAs(one, 'videos')?.title ?? one.message,
      description: (one) => attachedAs(one, 'videos')?.description ?? one.message,
      thumbnail_url: (one) => attachedAs(one, 'videos')?.media?.image?.src,
      width: (one) => attachedAs(one, 'videos')?.media?.image?.width,
      height: (one) => attachedAs(one, 'videos')?.media?.image?.height,
    },
    news: {
      title: (one) => attachedAs(one, 'news')?.title,
      url: (one) => targetOf(attachedAs(one, 'news')),
      description: (one) => attachedAs(one, 'news')?.description ?? one.message,
      thumbnail_url: (one) => attachedAs(one, 'news')?.media?.image?.src,
    },
  },
})

/**
 * Posts of the person have another endpoint. The author of a post of others may be hidden. A post without an id is
 * reported by its reader.
 */
export function isByOthers({ id, from }: Partial<Post>): boolean {
  return id === undefined || from?.id !== id.split('_')[0]
}
