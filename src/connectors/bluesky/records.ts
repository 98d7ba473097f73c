/** Records of repositories, as the lexicons define them. Everything except the URI may be missing. */

export interface StrongRef {
  uri: string
  cid?: string
}

/** Old records have only the `cid` of the blob. */
export interface Blob {
  ref?: { $link?: string }
  cid?: string
}

export interface AspectRatio {
  width?: number
  height?: number
}

/** An image of a record (`image`) or, with URLs, of an AppView's response. */
export interface Image {
  image?: Blob
  alt?: string
  aspectRatio?: AspectRatio
  fullsize?: string
  thumb?: string
  thumbnail?: string
}

/** Any `app.bsky.embed.*`, of a record or of an AppView's response. */
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
  /** The quoted record; next to `media` it is one level deeper. */
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

const AT_URI = /^at:\/\/(did:[^/]+)(?:\/([^/]+)\/([^/]+))?/

/** The DID of an `at://` URI. */
export function ownerOf(uri: string | undefined): string | undefined {
  return AT_URI.exec(uri ?? '')?.[1]
}

/** The web page of a post or person. */
export function pageOf(uri: string | undefined): string | undefined {
  const [, did, collection, key] = AT_URI.exec(uri ?? '') ?? []
  if (did === undefined) return undefined
  return collection === 'app.bsky.feed.post'
    ? `https://bsky.app/profile/${did}/post/${key}`
    : `https://bsky.app/profile/${did}`
}
