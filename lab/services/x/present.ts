import type { XData } from './data.ts'
import { entitiesOf } from './entities.ts'
import type { FieldSelection } from './field-selection.ts'
import type { DmItem, PostFields, PostItem, XMedia, XUser } from './model.ts'
import { placeOf } from './places.ts'

/** What rendering depends on. */
export interface View {
  url: string
  data: XData
  /** The authenticated user: some fields are visible to their owner only. */
  viewer: XUser
  selection: FieldSelection
}

type Maker = () => unknown

/** Renders only the requested fields; fields without a value are omitted. */
function chosen(makers: Record<string, Maker>, selection: ReadonlySet<string>): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const [name, make] of Object.entries(makers)) {
    const value = selection.has(name) ? make() : undefined
    if (value !== undefined) out[name] = value
  }
  return out
}

const iso = (ms: number): string => new Date(ms).toISOString()

export function presentPost({ data, viewer, selection }: View, item: PostItem): Record<string, unknown> {
  const { fields } = item
  const isOwn = fields.authorId === viewer.id
  return chosen(
    {
      id: () => item.id,
      text: () => fields.text,
      edit_history_tweet_ids: () => fields.history,
      author_id: () => fields.authorId,
      attachments: () => (fields.media.length > 0 ? { media_keys: fields.media.map(({ key }) => key) } : undefined),
      conversation_id: () => fields.conversationId ?? item.id,
      created_at: () => iso(item.createdAtMs),
      display_text_range: () => [0, Array.from(fields.text).length],
      edit_controls: () => ({
        edits_remaining: 6 - fields.history.length,
        is_edit_eligible: fields.repostOf === undefined && fields.replyTo === undefined,
        editable_until: iso(item.createdAtMs + 3_600_000),
      }),
      entities: () => entitiesOf(data, item.id, fields),
      geo: () => geoOf(fields),
      in_reply_to_user_id: () => fields.replyTo?.userId,
      lang: () => fields.lang,
      note_tweet: () => (fields.longText === undefined ? undefined : { text: fields.longText }),
      possibly_sensitive: () => fields.sensitive,
      public_metrics: () => ({
        retweet_count: fields.reposts,
        reply_count: fields.replies,
        like_count: fields.likes,
        quote_count: fields.quotes,
        bookmark_count: 0,
        impression_count: fields.likes * 31 + 7,
      }),
      non_public_metrics: () => (isOwn ? { impression_count: fields.likes * 31 + 7 } : undefined),
      paid_partnership: () => false,
      referenced_tweets: () => referencesOf(fields),
      reply_settings: () => 'everyone',
      source: () => 'X Web App',
    },
    selection.tweet,
  )
}

export function referencesOf(fields: PostFields): { type: string; id: string }[] | undefined {
  const found = [
    ...(fields.repostOf === undefined ? [] : [{ type: 'retweeted', id: fields.repostOf }]),
    ...(fields.quoteOf === undefined ? [] : [{ type: 'quoted', id: fields.quoteOf }]),
    ...(fields.replyTo === undefined ? [] : [{ type: 'replied_to', id: fields.replyTo.id }]),
  ]
  return found.length === 0 ? undefined : found
}

/** GeoJSON: longitude first. */
function geoOf({ placeId, coordinates }: PostFields): object | undefined {
  if (placeId === undefined) return undefined
  return { place_id: placeId, ...(coordinates ? { coordinates: { type: 'Point', coordinates } } : {}) }
}

export function presentUser({ url, data, viewer, selection }: View, user: XUser): Record<string, unknown> {
  const own = () => data.posts.list(user.username).filter((item) => item.deletedAtMs === undefined)
  return chosen(
    {
      id: () => user.id,
      name: () => user.name,
      username: () => user.username,
      confirmed_email: () => (user.id === viewer.id ? user.email : undefined),
      connection_status: () =>
        data.following(viewer.id).some(({ id }) => id === user.id)
          ? ['following']
          : user.id === viewer.id
            ? undefined
            : [],
      created_at: () => iso(user.createdAtMs),
      description: () => user.description,
      location: () => user.location,
      most_recent_tweet_id: () => own().find((item) => item.hidden !== true)?.id,
      profile_image_url: () => `${url}/media/48x48-${Number(BigInt(user.id) % 360n)}_normal.svg`,
      protected: () => user.protected,
      public_metrics: () => ({
        followers_count: data.followers(user.id).length,
        following_count: data.following(user.id).length,
        tweet_count: own().length,
        listed_count: 0,
        like_count: data.likes.list(user.username).length,
        media_count: 0,
      }),
      url: () => '',
      verified: () => user.verified,
      verified_type: () => (user.verified ? 'blue' : 'none'),
    },
    selection.user,
  )
}

export function presentMedia({ url, selection }: View, media: XMedia): Record<string, unknown> {
  const picture = `${url}/media/${media.width}x${media.height}-${media.hue}.svg`
  const moves = media.type !== 'photo'
  return chosen(
    {
      media_key: () => media.key,
      type: () => media.type,
      height: () => media.height,
      width: () => media.width,
      alt_text: () => media.alt,
      url: () => (moves ? undefined : picture),
      preview_image_url: () => (moves ? picture : undefined),
      duration_ms: () => (media.type === 'video' ? 12_345 : undefined),
      public_metrics: () => (media.type === 'video' ? { view_count: media.hue * 11 } : undefined),
      variants: () =>
        moves ? [{ bit_rate: 832_000, content_type: 'video/mp4', url: `${url}/video/${media.key}.mp4` }] : undefined,
    },
    selection.media,
  )
}

export function presentPlace({ selection }: View, id: string): Record<string, unknown> | undefined {
  const place = placeOf(id)
  if (!place) return undefined
  return Object.fromEntries(Object.entries(place).filter(([name]) => selection.place.has(name)))
}

export function presentDm({ selection }: View, item: DmItem): Record<string, unknown> {
  const { fields } = item
  return chosen(
    {
      id: () => item.id,
      event_type: () => fields.type,
      text: () => fields.text,
      participant_ids: () => fields.participantIds,
      sender_id: () => fields.senderId,
      created_at: () => iso(item.createdAtMs),
      dm_conversation_id: () => fields.conversationId,
      attachments: () => (fields.media ? { media_keys: [fields.media.key] } : undefined),
      referenced_tweets: () => (fields.postId === undefined ? undefined : [{ id: fields.postId }]),
    },
    selection.dm,
  )
}
