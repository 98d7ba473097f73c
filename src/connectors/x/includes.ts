/** A post. Guides, changelog and responses call it tweet, the generated reference of 2026 calls it post. */
export interface Tweet {
  id: string
  text?: string
  author_id?: string
  created_at?: string
  lang?: string
  in_reply_to_user_id?: string
  attachments?: { media_keys?: string[] | null }
  entities?: Entities
  geo?: { place_id?: string | null; coordinates?: { coordinates?: number[] } | null }
  public_metrics?: {
    like_count?: number
    reply_count?: number
    quote_count?: number
    retweet_count?: number
    repost_count?: number
  }
  note_tweet?: Note
  note_post?: Note
  referenced_tweets?: Reference[]
  referenced_posts?: Reference[]
}

export interface Entities {
  urls?: Link[] | null
  mentions?: { id?: string | null; username?: string | null }[] | null
}

export interface Link {
  url?: string
  expanded_url?: string
  unwound_url?: string
  media_key?: string
  title?: string
  description?: string
  images?: { url?: string }[]
}

interface Note {
  text?: string
  entities?: Entities
}

export interface Reference {
  type?: string
  id?: string
}

export interface User {
  id: string
  name?: string
  username?: string
  description?: string
  location?: string
  url?: string
  profile_image_url?: string
  created_at?: string
  confirmed_email?: string
  entities?: { url?: { urls?: Link[] | null } | null }
}

export interface Media {
  media_key?: string
  type?: string
  url?: string
  preview_image_url?: string
  alt_text?: string
  width?: number
  height?: number
  variants?: { bit_rate?: number | null; content_type?: string | null; url?: string | null }[]
}

export interface PlaceRecord {
  id?: string
  full_name?: string
  geo?: { bbox?: number[] }
}

export interface Includes {
  users?: User[]
  media?: Media[]
  places?: PlaceRecord[]
  tweets?: Tweet[]
  posts?: Tweet[]
}

/** A record with the expansions of the response that it refers to, as in a response with only this record. */
export type Joined<Raw> = Raw & { includes?: Includes }

export interface ListResponse<Raw> {
  data?: Raw[]
  includes?: Includes
  meta?: { next_token?: string; result_count?: number }
}

/** X omits an empty list and sets `result_count` to 0; undefined if the response has neither. */
export const listOf = <Raw>({ data, meta }: ListResponse<Raw>): Raw[] | undefined =>
  data ?? (meta?.result_count === 0 ? [] : undefined)

export const referencesOf = (tweet: Tweet): Reference[] => tweet.referenced_tweets ?? tweet.referenced_posts ?? []

/**
 * Expansions are listed once per page; each record gets those that its own expansions bring. Of a referenced post these are the author
 * and the media: what else it refers to is in the response only if another record of the page refers to it too.
 */
export function joinTweets(response: ListResponse<Tweet>): Joined<Tweet>[] | undefined {
  const find = lookups(response.includes)
  return listOf(response)?.map((tweet) => {
    const tweets = withoutUndefined(referencesOf(tweet).map(({ id }) => find.tweet(id)))
    const people = [tweet.author_id, tweet.in_reply_to_user_id, ...tweets.map((one) => one.author_id)]
    const media = [tweet, ...tweets].flatMap((one) => one.attachments?.media_keys ?? [])
    const mentioned = (tweet.entities?.mentions ?? []).map(({ username }) => find.userNamed(username))
    return withIncludes(tweet, {
      users: [...withoutUndefined(people.map(find.user)), ...withoutUndefined(mentioned)],
      media: withoutUndefined(media.map(find.media)),
      places: withoutUndefined([find.place(tweet.geo?.place_id)]),
      // Without counts, which change often and belong to other posts.
      tweets: tweets.map(({ public_metrics: _counts, ...rest }) => rest),
    })
  })
}

export interface Message {
  id: string
  event_type?: string
  text?: string
  created_at?: string
  sender_id?: string
  dm_conversation_id?: string
  participant_ids?: string[]
  attachments?: { media_keys?: string[] | null }
  entities?: Entities
}

export function joinMessages(response: ListResponse<Message>): Joined<Message>[] | undefined {
  const find = lookups(response.includes)
  return listOf(response)?.map((message) =>
    withIncludes(message, {
      users: withoutUndefined([message.sender_id, ...(message.participant_ids ?? [])].map(find.user)),
      media: withoutUndefined((message.attachments?.media_keys ?? []).map(find.media)),
    }),
  )
}

function withIncludes<Raw extends object>(raw: Raw, lists: Record<string, unknown[]>): Joined<Raw> {
  const filled = Object.entries(lists).flatMap(([name, list]) =>
    list.length === 0 ? [] : [[name, [...new Set(list)]] as const],
  )
  return filled.length === 0 ? raw : { ...raw, includes: Object.fromEntries(filled) }
}

function lookups({ users = [], media = [], places = [], tweets, posts }: Includes = {}) {
  const [byId, byName] = [index(users, ({ id }) => id), index(users, ({ username }) => username?.toLowerCase())]
  const [byKey, byPlace] = [index(media, (one) => one.media_key), index(places, ({ id }) => id)]
  const byTweet = index(tweets ?? posts ?? [], ({ id }) => id)
  return {
    user: (id: string | undefined) => byId.get(id),
    userNamed: (name: string | null | undefined) => byName.get(name?.toLowerCase()),
    media: (key: string | undefined) => byKey.get(key),
    place: (id: string | null | undefined) => byPlace.get(id ?? undefined),
    tweet: (id: string | undefined) => byTweet.get(id),
  }
}

function index<Value>(list: Value[], key: (value: Value) => string | undefined): Map<string | undefined, Value> {
  const map = new Map(list.map((value) => [key(value), value]))
  map.delete(undefined)
  return map
}

function withoutUndefined<Value>(list: (Value | undefined)[]): Value[] {
  return list.filter((value) => value !== undefined)
}
