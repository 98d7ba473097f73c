import type { StoredItem } from '../../data/item-store.ts'

export interface XUser {
  id: string
  username: string
  name: string
  description: string
  location?: string
  email?: string
  createdAtMs: number
  protected: boolean
  verified: boolean
}

export interface Link {
  short: string
  expanded: string
  title?: string
  /** A link that represents an attached picture or video. */
  mediaKey?: string
}

export interface XMedia {
  key: string
  type: 'photo' | 'video' | 'animated_gif'
  width: number
  height: number
  hue: number
  alt?: string
}

/** The stored form of a post, from which the requested fields are rendered. */
export interface PostFields {
  text: string
  authorId: string
  links: Link[]
  mentions: string[]
  hashtags: string[]
  media: XMedia[]
  placeId?: string
  coordinates?: [lng: number, lat: number]
  replyTo?: { id: string; userId: string }
  repostOf?: string
  quoteOf?: string
  lang: string
  likes: number
  reposts: number
  replies: number
  quotes: number
  sensitive: boolean
  /** Ids of all versions, oldest first; the last one is this post. */
  history: string[]
  conversationId?: string
  /** The full text of a post longer than 280 characters. */
  longText?: string
}

export interface DmFields {
  type: 'MessageCreate' | 'ParticipantsJoin' | 'ParticipantsLeave'
  conversationId: string
  senderId?: string
  text?: string
  participantIds?: string[]
  postId?: string
  media?: XMedia
}

export type PostItem = StoredItem<PostFields>
export type DmItem = StoredItem<DmFields>

export const blankPost = (authorId: string, text: string): PostFields => ({
  text,
  authorId,
  links: [],
  mentions: [],
  hashtags: [...text.matchAll(/#([\p{L}\p{N}_]+)/gu)].map(([, tag = '']) => tag),
  media: [],
  lang: 'en',
  likes: 0,
  reposts: 0,
  replies: 0,
  quotes: 0,
  sensitive: false,
  history: [],
})
