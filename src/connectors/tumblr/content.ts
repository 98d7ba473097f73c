/** Neue Post Format: https://www.tumblr.com/docs/npf. Only the fields that are read. */
export interface Blog {
  name?: string
  uuid?: string
  title?: string
  url?: string
  description?: string
  updated?: number
  avatar?: MediaFile[]
}

export interface MediaFile {
  url?: string
  type?: string
  width?: number
  height?: number
}

export interface Block {
  type?: string
  subtype?: string
  text?: string
  formatting?: { type?: string; url?: string; blog?: Blog }[]
  url?: string
  title?: string
  description?: string
  artist?: string
  album?: string
  alt_text?: string
  caption?: string
  /** For images a list of sizes, largest first; for audio and video one file. */
  media?: MediaFile | MediaFile[]
  poster?: MediaFile | MediaFile[]
  attribution?: { url?: string; blog?: Blog }
}

export interface TrailItem {
  blog?: Blog
  broken_blog_name?: string
  post?: { id?: string | number | bigint; timestamp?: number }
  content?: Block[]
}

export interface Post {
  id?: number | bigint | string
  id_string?: string
  blog_name?: string
  blog?: Blog
  timestamp?: number
  liked_timestamp?: number
  post_url?: string
  source_url?: string
  summary?: string
  content?: Block[]
  layout?: { type?: string; attribution?: { blog?: Blog } }[]
  trail?: TrailItem[]
  notes?: { blog_name?: string; blog_uuid?: string }[]
  reblogged_from_name?: string
  reblogged_from_uuid?: string
  reblogged_root_name?: string
  reblogged_root_uuid?: string
}

/** All blocks of a post: those of the reblogged posts, oldest first, then its own. */
export function blocksOf({ trail, content }: Post): Block[] {
  return [...(trail ?? []).flatMap((item) => item.content ?? []), ...(content ?? [])]
}

export function firstOf(post: Post, type: string): Block | undefined {
  // The blog's own blocks before the reblogged ones.
  return [...(post.content ?? []), ...blocksOf(post)].find((block) => block.type === type)
}

export const filesOf = (list: MediaFile | MediaFile[] | undefined): MediaFile[] =>
  list === undefined ? [] : Array.isArray(list) ? list : [list]

export function textOf(post: Post): string | undefined {
  const paragraphs = blocksOf(post).flatMap(({ type, text }) => (type === 'text' && text ? [text] : []))
  return paragraphs.length > 0 ? paragraphs.join('\n\n') : post.summary
}

export function linksOf(post: Post): string[] {
  const links = blocksOf(post).flatMap(({ type, url, formatting }) => [
    ...(type === 'link' || type === 'audio' || type === 'video' ? [url] : []),
    ...(formatting ?? []).filter((format) => format.type === 'link').map((format) => format.url),
  ])
  return [...new Set([...links, post.source_url])].filter((url): url is string => !!url)
}

export function mentionsOf(post: Post): (Blog | undefined)[] {
  return blocksOf(post).flatMap(({ formatting }) =>
    (formatting ?? []).filter(({ type }) => type === 'mention').map(({ blog }) => blog),
  )
}
