import type { Edge } from './graph.ts'

/** Only the fields that are read; the whole record is stored as received. */
export interface Account {
  /** Id of the professional account, also used by webhooks. */
  user_id?: string | number | bigint
  /** App-scoped id of the same account. */
  id?: string | number | bigint
  username?: string
  name?: string
  biography?: string
  website?: string
  profile_picture_url?: string
}

export interface Person {
  id?: string
  username?: string
}

export interface Media {
  id: string
  caption?: string
  media_type?: 'IMAGE' | 'VIDEO' | 'CAROUSEL_ALBUM'
  /** `FEED`, `REELS`, `STORY` or `AD` */
  media_product_type?: string
  media_url?: string
  thumbnail_url?: string
  permalink?: string
  shortcode?: string
  timestamp?: string
  username?: string
  /** Only in the person's own media. */
  owner?: { id?: string }
  alt_text?: string
  like_count?: number
  comments_count?: number
  /** The newest, without replies; only in the person's own media. */
  comments?: Edge<Pick<Comment, 'from'>>
  children?: Edge<Pick<Media, 'id' | 'media_type' | 'media_url' | 'thumbnail_url'>>
}

export interface Comment {
  id: string
  text?: string
  timestamp?: string
  username?: string
  from?: Person
  media?: { id?: string; permalink?: string }
  parent_id?: string
  like_count?: number
  replies?: Edge<Comment>
}

export interface MediaWithComments {
  id: string
  username?: string
  comments?: Edge<Comment>
}

export interface Message {
  id: string
  created_time?: string
  from?: Person
  to?: Edge<Person>
  message?: string
  attachments?: Edge<{ image_data?: { url?: string }; video_data?: { url?: string }; file_url?: string }>
}

export interface Conversation {
  id: string
  messages?: Edge<Message>
}
