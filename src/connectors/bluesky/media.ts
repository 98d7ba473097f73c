import type { AspectRatio, Blob, Embed, Image } from './records.ts'

export interface Picture {
  url: string | undefined
  thumbnail: string | undefined
  alt: string | undefined
  size: AspectRatio | undefined
  /** The original upload. */
  original: string | undefined
}

export interface Media {
  pictures: Picture[]
  video: Picture | undefined
  link:
    | { url: string; title?: string | undefined; description?: string | undefined; thumbnail?: string | undefined }
    | undefined
  /** URI of the quoted record. */
  quoted: string | undefined
}

/** The media of a post. `did` is its author, whose server stores the files. */
export function mediaOf(embed: Embed | undefined, did: string | undefined): Media {
  const own = embed?.media ?? embed
  return {
    pictures: (own?.images ?? own?.items ?? []).map((image) => pictureOf(image, did)),
    video: own?.video || own?.playlist ? videoOf(own, did) : undefined,
    link: linkOf(own, did),
    quoted: embed?.record?.uri ?? embed?.record?.record?.uri,
  }
}

function pictureOf({ image, alt, aspectRatio, fullsize, thumb, thumbnail }: Image, did: string | undefined): Picture {
  return {
    url: fullsize ?? onCdn('feed_fullsize', did, image),
    thumbnail: thumb ?? thumbnail ?? onCdn('feed_thumbnail', did, image),
    alt,
    size: aspectRatio,
    original: blobUrl(did, image),
  }
}

function videoOf({ video, playlist, thumbnail, alt, aspectRatio }: Embed, did: string | undefined): Picture {
  const original = blobUrl(did, video)
  return { url: playlist ?? original, thumbnail, alt, size: aspectRatio, original }
}

function linkOf(embed: Embed | undefined, did: string | undefined): Media['link'] {
  const { uri, title, description, thumb } = embed?.external ?? {}
  if (!uri) return undefined
  const thumbnail = typeof thumb === 'string' ? thumb : onCdn('feed_thumbnail', did, thumb)
  return { url: uri, title, description, thumbnail }
}

const cidOf = (blob: Blob | undefined): string | undefined => blob?.ref?.$link ?? blob?.cid

/**
 * Files are public at the person's own server; this URL is below the API address and is moved with it to that server.
 */
function blobUrl(did: string | undefined, blob: Blob | undefined): string | undefined {
  const cid = cidOf(blob)
  if (did === undefined || cid === undefined) return undefined
  return `https://bsky.social/xrpc/com.atproto.sync.getBlob?did=${encodeURIComponent(did)}&cid=${encodeURIComponent(cid)}`
}

/** https://atproto.com/guides/images-and-video */
function onCdn(
  size: 'feed_fullsize' | 'feed_thumbnail',
  did: string | undefined,
  blob: Blob | undefined,
): string | undefined {
  const cid = cidOf(blob)
  return did === undefined || cid === undefined
    ? undefined
    : `https://cdn.bsky.app/img/${size}/plain/${did}/${cid}@jpeg`
}
