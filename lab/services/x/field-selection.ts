import { first } from '../../base/pairs.ts'
import type { LabRequest } from '../../base/request.ts'
import { nameList } from '../../declare/parameters.ts'
import { listParam } from './params.ts'

const sharedPostFields = `article attachments card_uri community_id context_annotations conversation_id created_at
  display_text_range edit_controls entities geo id lang media_metadata non_public_metrics organic_metrics
  paid_partnership possibly_sensitive promoted_metrics public_metrics reply_settings scopes source
  suggested_source_links suggested_source_links_with_counts text withheld`

/** The names that each parameter accepts. */
const accepted = {
  'tweet.fields': nameList(
    `${sharedPostFields} author_id edit_history_tweet_ids in_reply_to_user_id note_tweet referenced_tweets`,
  ),
  'post.fields': nameList(`${sharedPostFields} article_title matched_media_notes note_post note_request_suggestions`),
  'user.fields': nameList(`affiliation confirmed_email connection_status created_at description entities id
    is_identity_verified location most_recent_tweet_id name parody pinned_tweet_id profile_banner_url
    profile_image_url protected public_metrics receives_your_dm subscribes_to_you subscription subscription_type
    url username verified verified_followers_count verified_type withheld`),
  'media.fields': nameList(`alt_text duration_ms height media_key non_public_metrics organic_metrics
    preview_image_url promoted_metrics public_metrics type url variants width`),
  'place.fields': nameList('contained_within country country_code full_name geo id name place_type'),
  'poll.fields': nameList('duration_minutes end_datetime id options voting_status'),
  'dm_event.fields': nameList(`attachments created_at dm_conversation_id entities event_type id participant_ids
    referenced_tweets sender_id text`),
}

const expansionsOf = {
  tweet: nameList(`article.cover_media article.media_entities attachments.media_keys attachments.media_source_tweet
    attachments.poll_ids author_id edit_history_tweet_ids edit_history_post_ids entities.mentions.username
    entities.note.mentions.username geo.place_id in_reply_to_user_id referenced_posts referenced_tweets.id
    referenced_tweets.id.attachments.media_keys referenced_tweets.id.author_id username`),
  user: nameList(`affiliation affiliation.user_id most_recent_tweet_id most_recent_post_id pinned_tweet_id
    pinned_post_id`),
  dm: nameList('attachments.media_keys participant_ids referenced_posts referenced_tweets.id sender_id'),
}
export type Primary = keyof typeof expansionsOf

/** The parameters that select fields, by what a response is about. */
export const fieldParams: Record<Primary, readonly string[]> = {
  tweet: nameList('tweet.fields post.fields user.fields media.fields place.fields poll.fields expansions'),
  user: nameList('user.fields tweet.fields post.fields expansions'),
  dm: nameList('dm_event.fields tweet.fields post.fields user.fields media.fields expansions'),
}

/** The newer API names say "post" instead of "tweet". A response uses the names of its request. */
const olderNames: Record<string, string> = {
  referenced_posts: 'referenced_tweets.id',
  edit_history_post_ids: 'edit_history_tweet_ids',
  pinned_post_id: 'pinned_tweet_id',
  most_recent_post_id: 'most_recent_tweet_id',
  note_post: 'note_tweet',
}

export interface FieldSelection {
  usesPostNames: boolean
  tweet: ReadonlySet<string>
  user: ReadonlySet<string>
  media: ReadonlySet<string>
  place: ReadonlySet<string>
  dm: ReadonlySet<string>
  expansions: ReadonlySet<string>
}

/** An expansion implies the field that it expands. The e-mail address of a user requires a scope of its own. */
export function readFieldSelection(
  request: LabRequest,
  primary: Primary,
  scopes: readonly string[] = [],
): FieldSelection {
  const requested = listParam(request, 'expansions', expansionsOf[primary])
  const read = (name: keyof typeof accepted) => listParam(request, name, accepted[name])
  const inPosts = read('post.fields')
  const usesPostNames =
    first(request.query, 'post.fields') !== undefined || requested.some((name) => Object.hasOwn(olderNames, name))
  const older = (name: string) => olderNames[name] ?? name
  const expansions = requested.map(older)
  const selected = (kind: Primary | undefined, fields: readonly string[], always: string) => {
    const expanded = kind === primary ? expansions.map((name) => name.split('.')[0] ?? '') : []
    return new Set([...fields, ...expanded, ...nameList(always)])
  }
  const tweets = [...read('tweet.fields'), ...inPosts.map(older)]
  read('poll.fields')
  const seesEmail = primary !== 'user' || scopes.includes('users.email')
  const users = read('user.fields').filter((name) => seesEmail || name !== 'confirmed_email')
  return {
    usesPostNames,
    expansions: new Set(expansions),
    tweet: selected('tweet', tweets, 'id text edit_history_tweet_ids'),
    user: selected('user', users, 'id name username'),
    media: selected(undefined, read('media.fields'), 'media_key type'),
    place: selected(undefined, read('place.fields'), 'id full_name'),
    dm: selected('dm', read('dm_event.fields'), 'id event_type text participant_ids'),
  }
}

const newerKeys: Record<string, string> = {
  referenced_tweets: 'referenced_posts',
  edit_history_tweet_ids: 'edit_history_post_ids',
  retweet_count: 'repost_count',
  tweet_count: 'post_count',
  note_tweet: 'note_post',
  pinned_tweet_id: 'pinned_post_id',
  most_recent_tweet_id: 'most_recent_post_id',
  tweets: 'posts',
}

/** Renames the keys of a response to the newer names. */
export function withPostNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPostNames)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [newerKeys[name] ?? name, withPostNames(inner)]),
  )
}
