/** What every response has. Errors have status 200. */
export interface Answer {
  ok?: boolean
  error?: string
  response_metadata?: { next_cursor?: string }
}

export interface Conversation {
  id: string
  /** Direct messages have none. */
  name?: string
  created?: number
  is_im?: boolean
  is_mpim?: boolean
  is_private?: boolean
  is_archived?: boolean
  /** The other person of a direct message. */
  user?: string
  topic?: { value?: string }
  purpose?: { value?: string }
}

export interface File {
  id: string
  created?: number
  timestamp?: number
  name?: string | null
  title?: string | null
  mimetype?: string
  size?: number
  user?: string
  permalink?: string
}

export interface Message {
  type?: string
  subtype?: string
  /** Seconds with six digits after the point: the id of a message in its conversation. */
  ts: string
  user?: string
  bot_id?: string
  username?: string
  text?: string | null
  thread_ts?: string
  reply_count?: number
  latest_reply?: string
  reply_users?: string[]
  edited?: { user?: string; ts?: string }
  reactions?: { name?: string; count?: number; users?: string[] }[]
  files?: File[]
}

/** A record says in which conversation it is; responses do not. */
export interface StoredMessage extends Message {
  channel: string
}

/** Something that the person reacted to. */
export interface Reacted {
  type?: string
  channel?: string
  message?: Message
  file?: File
}

export interface User {
  id: string
  name?: string
  real_name?: string
  deleted?: boolean
  is_bot?: boolean
  tz?: string
  profile?: Profile
}

export interface Profile {
  title?: string
  phone?: string
  real_name?: string
  display_name?: string
  email?: string
  status_text?: string
  image_512?: string
  image_192?: string
}

export interface Identity extends Answer {
  url?: string
  team?: string
  team_id?: string
  user?: string
  user_id?: string
  /** The token is that of a bot. */
  bot_id?: string
  /** The response of a further call. */
  about?: { profile?: Profile }
}
