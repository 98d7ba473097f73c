import type { PageRequest } from '#kit/endpoints/pages.ts'

// Only stable fields: an author's follower count would make every post look edited.
const SHARED_QUERY = {
  'user.fields': 'name,profile_image_url,username',
  'media.fields': 'alt_text,duration_ms,height,media_key,preview_image_url,type,url,variants,width',
}
const PLACE_FIELDS = 'country_code,full_name,geo,id,name,place_type'

/**
 * In the words of the guides. They also bring authors and media of posts that a post refers to, for which the newer
 * vocabulary has no names.
 */
export const TWEET_QUERY = {
  ...SHARED_QUERY,
  'place.fields': PLACE_FIELDS,
  'tweet.fields':
    'attachments,author_id,conversation_id,created_at,entities,geo,in_reply_to_user_id,lang,note_tweet,possibly_sensitive,public_metrics,referenced_tweets',
  expansions:
    'attachments.media_keys,author_id,entities.mentions.username,geo.place_id,in_reply_to_user_id,referenced_tweets.id,referenced_tweets.id.attachments.media_keys,referenced_tweets.id.author_id',
}

/** In the words of the OpenAPI description since 2.167, where an expansion brings its field along. */
const POST_QUERY = {
  ...SHARED_QUERY,
  'place.fields': PLACE_FIELDS,
  'post.fields': 'attachments,conversation_id,created_at,entities,geo,lang,note_post,possibly_sensitive,public_metrics',
  expansions:
    'attachments.media_keys,author_id,entities.mentions.username,geo.place_id,in_reply_to_user_id,referenced_posts',
}

export const MESSAGE_QUERY = {
  ...SHARED_QUERY,
  event_types: 'MessageCreate',
  'dm_event.fields':
    'attachments,created_at,dm_conversation_id,entities,event_type,id,participant_ids,referenced_tweets,sender_id,text',
  expansions: 'attachments.media_keys,participant_ids,sender_id',
}

const NEWER_MESSAGE_FIELDS = 'attachments,created_at,dm_conversation_id,entities,event_type,id,text'

/** A request for posts in the newer vocabulary; undefined if it is in that already. */
export function withPostWords(request: PageRequest): PageRequest | undefined {
  if (request.query['tweet.fields'] === undefined) return undefined
  const { 'tweet.fields': _, ...query } = request.query
  return { ...request, query: { ...query, ...POST_QUERY } }
}

/** The same for direct messages. */
export function withNewerMessageWords(request: PageRequest): PageRequest | undefined {
  if (request.query['dm_event.fields'] === NEWER_MESSAGE_FIELDS) return undefined
  return { ...request, query: { ...request.query, 'dm_event.fields': NEWER_MESSAGE_FIELDS } }
}
