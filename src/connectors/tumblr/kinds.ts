import { linkKeys } from '#kit/read/dedupe-keys.ts'
import { kind, type NativeId, plainText } from '#kit/read/kind.ts'
import type { BaseType } from '#model/items/types.ts'
import { idOf, participantsOf } from './blog-ids.ts'
import { type Blog, blocksOf, filesOf, firstOf, linksOf, type Post, textOf } from './content.ts'

/** The largest avatar in the record; otherwise the public URL of the blog's avatar. */
export function avatarOf({ avatar, name }: Blog): string | undefined {
  const told = avatar?.[0]?.url
  if (told !== undefined || name === undefined) return told
  return `https://api.tumblr.com/v2/blog/${encodeURIComponent(name)}/avatar/512`
}

const pageOf = ({ url, name }: Blog) => url ?? (name === undefined ? undefined : `https://www.tumblr.com/${name}`)
const idIn = ({ id_string, id }: Post): NativeId => id_string ?? id!
const msOf = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1000)
const authorOf = ({ blog, blog_name }: Post) => blog_name ?? blog?.name

const TYPE_OF_BLOCK: Record<string, BaseType> = { image: 'photos', video: 'videos', link: 'news', audio: 'tracks' }

function typesOf(post: Post): BaseType[] {
  const types = new Set(blocksOf(post).flatMap(({ type }) => TYPE_OF_BLOCK[type ?? ''] ?? []))
  const seen = [...types].some((type) => type !== 'tracks')
  // Feeds have no tracks, so an audio post is also a status.
  return !seen || firstOf(post, 'text') !== undefined ? ['statuses', ...types] : [...types]
}

const imagesOf = (post: Post) => filesOf(firstOf(post, 'image')?.media)
const songOf = (post: Post) => firstOf(post, 'audio')
const posterOf = (post: Post, type: 'video' | 'link' | 'audio') => filesOf(firstOf(post, type)?.poster)[0]
const fileOf = (post: Post, type: 'video' | 'audio') => filesOf(firstOf(post, type)?.media)[0]

function mediaOf(post: Post): string | undefined {
  const film = firstOf(post, 'video') ?? songOf(post)
  return imagesOf(post)[0]?.url ?? filesOf(film?.media)[0]?.url ?? film?.url
}

function titleOf(post: Post): string | undefined {
  const heading = blocksOf(post).find(({ type, subtype }) => type === 'text' && subtype?.startsWith('heading'))
  return heading?.text ?? textOf(post)?.split('\n', 1)[0]
}

/** Dedupe keys of the post itself, of the post that it only passes on, and of what it links to. */
function dedupeKeysOf(post: Post): string[] {
  const sources = blocksOf(post).map(({ attribution }) => attribution?.url)
  const id = passedOn(post) ?? idIn(post)
  return [`guid:tumblr/#${id}`, ...linkKeys([post.post_url], [...linksOf(post), ...sources], photoAt)]
}

function photoAt(url: string): string | undefined {
  const photo = /^https?:\/\/(?:www\.)?(?:instagram\.com|instagr\.am)\/(?:[^/]+\/)?(?:p|reel|tv)\/([\w-]+)/i.exec(url)
  return photo === null ? undefined : `guid:instagram/#${photo[1]}`
}

/** The post that a reblog shows without words or pictures of its own. */
function passedOn({ content, trail }: Post): NativeId | undefined {
  const said = (trail ?? []).filter((item) => item.content !== undefined && item.content.length > 0)
  return content?.length === 0 ? said.at(-1)?.post?.id : undefined
}

export const post = kind<Post>({
  name: 'post',
  id: idIn,
  at: ({ timestamp }) => msOf(timestamp),
  types: typesOf,
  guid: dedupeKeysOf,
  // 1: participants are the ids of blogs.
  version: 1,
  participants: participantsOf,
  map: {
    text: textOf,
    author: (one) => {
      const name = authorOf(one)
      return name === undefined
        ? undefined
        : {
            name: one.blog?.title || name,
            handle: name,
            url: pageOf({ ...one.blog, name }),
            photo: avatarOf({ ...one.blog, name }),
          }
    },
    urls: linksOf,
    url: ({ post_url }) => post_url,
    image: (one) => imagesOf(one)[0]?.url,
    media: mediaOf,
    earliest: ({ trail }) => msOf(trail?.[0]?.post?.timestamp),
    title: (one) => songOf(one)?.title,
    artist: (one) => songOf(one)?.artist,
    album: (one) => songOf(one)?.album,
  },
  card: { title: titleOf, provider_url: ({ post_url }) => post_url },
  cards: {
    photos: {
      description: textOf,
      url: (one) => imagesOf(one)[0]?.url,
      thumbnail_url: (one) =>
        (imagesOf(one).find(({ width }) => width !== undefined && width <= 640) ?? imagesOf(one)[0])?.url,
      width: (one) => imagesOf(one)[0]?.width,
      height: (one) => imagesOf(one)[0]?.height,
    },
    videos: {
      url: (one) => firstOf(one, 'video')?.url ?? fileOf(one, 'video')?.url,
      thumbnail_url: (one) => posterOf(one, 'video')?.url,
      width: (one) => fileOf(one, 'video')?.width ?? posterOf(one, 'video')?.width,
      height: (one) => fileOf(one, 'video')?.height ?? posterOf(one, 'video')?.height,
    },
    news: {
      title: (one) => firstOf(one, 'link')?.title,
      url: (one) => firstOf(one, 'link')?.url,
      description: (one) => firstOf(one, 'link')?.description,
      thumbnail_url: (one) => posterOf(one, 'link')?.url,
    },
    tracks: {
      title: (one) => songOf(one)?.title,
      url: (one) => songOf(one)?.url ?? fileOf(one, 'audio')?.url,
      thumbnail_url: (one) => posterOf(one, 'audio')?.url,
    },
  },
})

export const blog = kind<Blog>({
  name: 'blog',
  // 1: more HTML entities are decoded in the description. 2: the id of the blog.
  version: 2,
  id: ({ name }) => name!,
  // Time of the newest post; 0 without posts.
  at: ({ updated }) => msOf(updated || undefined),
  map: {
    id: idOf,
    name: ({ title, name }) => title || name,
    nickname: ({ name }) => name,
    photo: avatarOf,
    url: pageOf,
  },
  card: { id: idOf, description: ({ description }) => plainText(description) },
})

/** An event of the blog: a like, a reply, a new follower. The fields depend on the type. */
export interface Notification {
  id: string | number | bigint
  type?: string
  timestamp?: number
  from_tumblelog_name?: string
  target_post_summary?: string
  target_post_id?: string | number | bigint
  target_tumblelog_name?: string
  reply_text?: string
  added_text?: string
}

const notificationTitle = ({ type }: Notification) => type?.replaceAll('_', ' ')

export const notification = kind<Notification>({
  name: 'notification',
  id: ({ id }) => id,
  at: ({ timestamp }) => msOf(timestamp),
  participants: ({ from_tumblelog_name, target_tumblelog_name }) => ({
    author: from_tumblelog_name,
    others: [target_tumblelog_name],
  }),
  map: {
    subject: (one) => [notificationTitle(one), one.target_post_summary].filter(Boolean).join(': '),
    text: ({ reply_text, added_text }) => reply_text ?? added_text,
    from: ({ from_tumblelog_name }) => from_tumblelog_name,
    author: ({ from_tumblelog_name: name }) =>
      name === undefined ? undefined : { name, handle: name, url: pageOf({ name }), photo: avatarOf({ name }) },
    url: ({ target_tumblelog_name, target_post_id }) =>
      target_tumblelog_name === undefined || target_post_id === undefined
        ? undefined
        : `https://www.tumblr.com/${target_tumblelog_name}/${target_post_id}`,
  },
})
