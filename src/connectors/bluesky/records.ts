/** What people keep in their repositories, as the lexicons define it. Everything but an address may be missing. */

export interface StrongRef {
  uri: string
  cid?: string
}

/** Old records name the blob by `cid` alone. */
export interface Blob {
  ref?: { $link?: string }
  cid?: string
}

export interface AspectRatio {
  width?: number
  height?: number
}

/** An image of a record (`image`) or, with addresses, of an AppView's answer. */
export interface Image {
  image?: Blob
  alt?: string
  aspectRatio?: AspectRatio
  fullsize?: string
  thumb?: string
  thumbnail?: string
}

/** Any `app.bsky.embed.*`, of a record or of an AppView's answer; the fields tell which. */
export interface Embed {
  images?: Image[]
  /** Galleries. */
  items?: Image[]
  video?: Blob
  playlist?: string
  thumbnail?: string
  alt?: string
  aspectRatio?: AspectRatio
  external?: { uri?: string; title?: string; description?: string; thumb?: Blob | string }
  /** What is quoted; beside `media` one level deeper. */
  record?: { uri?: string; record?: { uri?: string } }
  media?: Embed
}

export interface Facet {
  features?: { did?: string; uri?: string; tag?: string }[]
}

export interface PostRecord {
  text?: string
  createdAt?: string
  facets?: Facet[]
  reply?: { root?: StrongRef; parent?: StrongRef }
  embed?: Embed
  langs?: string[]
}

export interface Stored<Value> {
  uri: string
  cid?: string
  value?: Value
}

/** A like or repost (`subject` is a record), a follow or block (`subject` is a person). */
export interface Link {
  subject?: StrongRef | string
  createdAt?: string
}

const ADDRESS = /^at:\/\/(did:[^/]+)(?:\/([^/]+)\/([^/]+))?/

/** Whose record an `at://` address names. */
export function ownerOf(uri: string | undefined): string | undefined {
  return ADDRESS.exec(uri ?? '')?.[1]
}

/** The page on which people read a post or meet a person. */
export function pageOf(uri: string | undefined): string | undefined {
  const [, did, collection, key] = ADDRESS.exec(uri ?? '') ?? []
  if (did === undefined) return undefined
  return collection === 'app.bsky.feed.post'
    ? `https://bsky.app/profile/${did}/post/${key}`
    : `https://bsky.app/profile/${did}`
}
