import { type Kind, kind, timeOf } from '#kit/read/kind.ts'

type Thumbnails = Record<string, { url?: string; width?: number } | undefined>

interface Snippet {
  title?: string
  description?: string
  publishedAt?: string
  channelId?: string
  channelTitle?: string
  thumbnails?: Thumbnails
}

export interface Channel {
  id: string
  etag?: string
  snippet?: Snippet & { customUrl?: string }
  contentDetails?: { relatedPlaylists?: { uploads?: string } }
  statistics?: { videoCount?: string }
}

export interface Playlist {
  id: string
  etag?: string
  snippet?: Snippet
  contentDetails?: { itemCount?: number }
  status?: { privacyStatus?: string }
}

export interface PlaylistItem {
  id: string
  /** `snippet` is about the entry: when it was added, and to whose list. */
  snippet?: Snippet & {
    playlistId?: string
    videoOwnerChannelId?: string
    videoOwnerChannelTitle?: string
    resourceId?: { videoId?: string }
  }
  contentDetails?: { videoId?: string; videoPublishedAt?: string }
  status?: { privacyStatus?: string }
}

export interface Video {
  id: string
  snippet?: Snippet & { defaultLanguage?: string; defaultAudioLanguage?: string }
  contentDetails?: { duration?: string }
}

export interface Subscription {
  id: string
  snippet?: Snippet & { resourceId?: { channelId?: string } }
}

function largest(thumbnails: Thumbnails | undefined): string | undefined {
  return Object.values(thumbnails ?? {})
    .filter((one) => one?.url !== undefined)
    .sort((a, b) => (b?.width ?? 0) - (a?.width ?? 0))[0]?.url
}

const watch = (id: string | undefined) => id && `https://www.youtube.com/watch?v=${encodeURIComponent(id)}`
const channelUrl = (id: string | undefined) => id && `https://www.youtube.com/channel/${encodeURIComponent(id)}`
const textOf = (snippet: Snippet | undefined) => [snippet?.title, snippet?.description].filter(Boolean).join('\n')

export const channel = kind<Channel>({
  name: 'channel',
  id: ({ id }) => id,
  at: ({ snippet }) => timeOf(snippet?.publishedAt),
  map: {
    name: ({ snippet }) => snippet?.title,
    nickname: ({ snippet }) => snippet?.customUrl,
    text: ({ snippet }) => snippet?.description,
    url: ({ id }) => channelUrl(id),
    photo: ({ snippet }) => largest(snippet?.thumbnails),
  },
})

export const playlist = kind<Playlist>({
  name: 'playlist',
  id: ({ id }) => id,
  at: ({ snippet }) => timeOf(snippet?.publishedAt),
  map: {
    title: ({ snippet }) => snippet?.title,
    text: ({ snippet }) => snippet?.description,
    url: ({ id }) => `https://www.youtube.com/playlist?list=${encodeURIComponent(id)}`,
    image: ({ snippet }) => largest(snippet?.thumbnails),
  },
})

const videoIdOf = ({ contentDetails, snippet }: PlaylistItem) => contentDetails?.videoId ?? snippet?.resourceId?.videoId

/** An upload is the person's own; an entry of a playlist was made by the owner of its video. */
export function playlistItem(name: 'upload' | 'playlist_item'): Kind<PlaylistItem> {
  const isOwn = name === 'upload'
  return kind<PlaylistItem>({
    name,
    id: ({ id }) => id,
    at: ({ snippet, contentDetails }) =>
      timeOf(isOwn ? (contentDetails?.videoPublishedAt ?? snippet?.publishedAt) : snippet?.publishedAt),
    participants: ({ snippet }) => ({ author: isOwn ? undefined : snippet?.videoOwnerChannelId }),
    map: {
      title: ({ snippet }) => snippet?.title,
      text: ({ snippet }) => textOf(snippet),
      url: (one) => watch(videoIdOf(one)),
      image: ({ snippet }) => largest(snippet?.thumbnails),
      author: ({ snippet }) => {
        const title = isOwn ? snippet?.channelTitle : snippet?.videoOwnerChannelTitle
        return title === undefined ? undefined : { name: title }
      },
    },
  })
}

export const video = kind<Video>({
  name: 'video',
  id: ({ id }) => id,
  at: ({ snippet }) => timeOf(snippet?.publishedAt),
  participants: ({ snippet }) => ({ author: snippet?.channelId }),
  map: {
    title: ({ snippet }) => snippet?.title,
    text: ({ snippet }) => textOf(snippet),
    url: ({ id }) => watch(id),
    image: ({ snippet }) => largest(snippet?.thumbnails),
    author: ({ snippet }) =>
      snippet?.channelTitle === undefined
        ? undefined
        : { name: snippet.channelTitle, url: channelUrl(snippet.channelId) },
    lang: ({ snippet }) => snippet?.defaultAudioLanguage ?? snippet?.defaultLanguage,
    seconds: ({ contentDetails }) => secondsOf(contentDetails?.duration),
  },
})

const channelOf = ({ snippet }: Subscription) => snippet?.resourceId?.channelId

/** `snippet.channelId` is the person's own channel; the other one is in `resourceId`. */
export const subscription = kind<Subscription>({
  name: 'subscription',
  id: ({ id }) => id,
  at: ({ snippet }) => timeOf(snippet?.publishedAt),
  participants: (one) => ({ author: channelOf(one) }),
  map: {
    id: channelOf,
    name: ({ snippet }) => snippet?.title,
    text: ({ snippet }) => snippet?.description,
    url: (one) => channelUrl(channelOf(one)),
    photo: ({ snippet }) => largest(snippet?.thumbnails),
  },
})

/** `PT1H2M3S`, or `P1DT2H` for days. */
export function secondsOf(duration: string | undefined): number | undefined {
  const pattern = /^P(?:(\d{1,4})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,4})M)?(?:(\d{1,4})S)?)?$/
  const [, ...found] = pattern.exec(duration ?? '') ?? []
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = found.map((text) => Number(text ?? 0))
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds || undefined
}
