/** Records of the Mastodon API, as far as they are read. Servers with a compatible API leave fields out. */
export interface Account {
  id: string
  username?: string
  /** `name` for people of this server, `name@host` for others. */
  acct?: string
  display_name?: string
  note?: string
  url?: string | null
  avatar?: string
  bot?: boolean
  fields?: { name?: string; value?: string }[]
}

export interface Media {
  id?: string
  type?: string
  url?: string | null
  remote_url?: string | null
  preview_url?: string | null
  description?: string | null
  meta?: { original?: { width?: number; height?: number } } | null
}

export interface Status {
  id: string
  created_at?: string
  edited_at?: string | null
  url?: string | null
  uri?: string
  /** HTML. */
  content?: string
  spoiler_text?: string
  language?: string | null
  visibility?: string
  account?: Account
  reblog?: Status | null
  in_reply_to_account_id?: string | null
  media_attachments?: Media[]
  mentions?: { id: string; acct?: string; url?: string }[]
  card?: { url?: string; title?: string; description?: string; image?: string | null; type?: string } | null
  replies_count?: number
  reblogs_count?: number
  favourites_count?: number
}

export interface Notification {
  id: string
  type?: string
  created_at?: string
  account?: Account
  status?: Status | null
}
