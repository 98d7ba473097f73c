import { type Kind, linksIn, timeOf } from '#kit/read/kind.ts'
import type { BaseType } from '#model/items/types.ts'
import { dedupeKeysOfLinks } from './cross-posts.ts'
import { type Media, mediaOf, type Picture } from './media.ts'
import { type Embed, ownerOf, type PostRecord, pageOf } from './records.ts'

export interface Person {
  did: string
  handle?: string
  displayName?: string
  avatar?: string
}

/** A post from its author's repository, or from an AppView with counts and URLs. */
export interface Post {
  uri: string | undefined
  record: PostRecord
  author?: Person | undefined
  /** The AppView's embed, which has URLs. */
  embed?: Embed | undefined
  indexedAt?: string | undefined
  counts?: { likes?: number | undefined; comments?: number | undefined; shares?: number | undefined } | undefined
}

/** The earlier of `createdAt`, which clients choose freely, and `indexedAt`; AppViews sort by the same time. */
export function postTime({ record, indexedAt }: Post): number | undefined {
  const [createdMs, indexedMs] = [timeOf(record.createdAt), timeOf(indexedAt)]
  return createdMs === undefined || indexedMs === undefined ? (createdMs ?? indexedMs) : Math.min(createdMs, indexedMs)
}

function mediaIn({ uri, record, author, embed }: Post): Media {
  return mediaOf(embed ?? record.embed, author?.did ?? ownerOf(uri))
}

function linksOf(post: Post): string[] {
  const { record } = post
  const links = (record.facets ?? []).flatMap(({ features }) => (features ?? []).map(({ uri }) => uri))
  const all = [mediaIn(post).link?.url, ...links, ...linksIn(record.text)]
  return [...new Set(all.filter((url) => url !== undefined))]
}

export function postTypes(post: Post): BaseType[] {
  const { pictures, video } = mediaIn(post)
  const types: BaseType[] = ['statuses']
  if (pictures.length > 0) types.push('photos')
  if (video !== undefined) types.push('videos')
  if (linksOf(post).length > 0) types.push('news')
  return types
}

export function postPeople(post: Post): { author: string | undefined; others: (string | undefined)[] } {
  const { uri, record, author } = post
  const mentioned = (record.facets ?? []).flatMap(({ features }) => (features ?? []).map(({ did }) => did))
  const { parent, root } = record.reply ?? {}
  const others = [ownerOf(parent?.uri), ownerOf(root?.uri), ownerOf(mediaIn(post).quoted), ...mentioned]
  return { author: author?.did ?? ownerOf(uri), others }
}

function pictureCard<Raw>(picture: (raw: Raw) => Picture | undefined, text: (raw: Raw) => string | undefined) {
  return {
    title: (raw: Raw) => picture(raw)?.alt,
    description: text,
    url: (raw: Raw) => picture(raw)?.url,
    thumbnail_url: (raw: Raw) => picture(raw)?.thumbnail,
    width: (raw: Raw) => picture(raw)?.size?.width,
    height: (raw: Raw) => picture(raw)?.size?.height,
  }
}

/** The readers that all kinds of posts share; `postIn` finds the post in the record. */
export function postReaders<Raw>(postIn: (raw: Raw) => Post): Pick<Kind<Raw>, 'guid' | 'map' | 'card' | 'cards'> {
  const photo = (raw: Raw) => mediaIn(postIn(raw)).pictures[0]
  const video = (raw: Raw) => mediaIn(postIn(raw)).video
  const link = (raw: Raw) => mediaIn(postIn(raw)).link
  const picture = (raw: Raw) => photo(raw) ?? video(raw)
  return {
    guid: (raw) => {
      const post = postIn(raw)
      return [post.uri && `guid:bluesky/#${post.uri}`, ...dedupeKeysOfLinks(pageOf(post.uri), linksOf(post))]
    },
    map: {
      text: (raw) => postIn(raw).record.text,
      author: (raw) => {
        const { author } = postIn(raw)
        return (
          author && {
            name: author.displayName ?? author.handle,
            url: `https://bsky.app/profile/${author.did}`,
            photo: author.avatar,
            handle: author.handle,
          }
        )
      },
      urls: (raw) => linksOf(postIn(raw)),
      url: (raw) => pageOf(postIn(raw).uri),
      image: (raw) => photo(raw)?.url,
      media: (raw) => picture(raw)?.original ?? picture(raw)?.url,
      earliest: (raw) => timeOf(postIn(raw).record.createdAt),
      lang: (raw) => postIn(raw).record.langs?.[0],
      counts: (raw) => postIn(raw).counts,
    },
    card: { provider_url: (raw) => pageOf(postIn(raw).uri) },
    cards: {
      photos: pictureCard(photo, (raw) => postIn(raw).record.text),
      videos: pictureCard(video, (raw) => postIn(raw).record.text),
      news: {
        title: (raw) => link(raw)?.title,
        description: (raw) => link(raw)?.description,
        thumbnail_url: (raw) => link(raw)?.thumbnail,
      },
    },
  }
}
