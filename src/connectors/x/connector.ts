import { oauth2 } from '#kit/auth.ts'
import { sinceId, untilKnown } from '#kit/checkpoint.ts'
import { defineConnector } from '#kit/connector.ts'
import { endpoint } from '#kit/endpoint.ts'
import { timeOf } from '#kit/kind.ts'
import { cursorPages } from '#kit/pages.ts'
import { self } from '#kit/self.ts'
import { hook } from './hook.ts'
import {
  type Joined,
  joinMessages,
  joinTweets,
  type ListResponse,
  listOf,
  type Message,
  type Tweet,
  type User,
} from './includes.ts'
import { contact, message } from './kinds.ts'
import { rate, recovery } from './protocol.ts'
import { pageOf, pictureUrl, tweet } from './tweet-kind.ts'

const DAY_MS = 86_400_000
const PERSON_FIELDS = 'created_at,description,entities,location,name,profile_image_url,protected,url,username,verified'

// Only stable fields: an author's follower count would make every post look edited.
const TWEET_QUERY = {
  'tweet.fields':
    'attachments,author_id,conversation_id,created_at,entities,geo,in_reply_to_user_id,lang,note_tweet,possibly_sensitive,public_metrics,referenced_tweets',
  expansions:
    'attachments.media_keys,author_id,entities.mentions.username,geo.place_id,in_reply_to_user_id,referenced_tweets.id,referenced_tweets.id.attachments.media_keys,referenced_tweets.id.author_id',
  'user.fields': 'name,profile_image_url,username',
  'media.fields': 'alt_text,duration_ms,height,media_key,preview_image_url,type,url,variants,width',
  'place.fields': 'country_code,full_name,geo,id,name,place_type',
}

const pages = (size: number) =>
  cursorPages({
    param: 'pagination_token',
    from: ({ meta }: ListResponse<unknown>) => meta?.next_token,
    size: { param: 'max_results', value: size },
  })

const tweets = {
  query: TWEET_QUERY,
  items: joinTweets,
  kind: tweet,
  types: ['statuses' as const],
  pages: pages(100),
  scope: ['tweet.read', 'users.read'],
}

const newerThan = sinceId<Joined<Tweet>>({ param: 'since_id', id: ({ id }) => id })
const rereadNewest = (days: number) =>
  untilKnown<Joined<Tweet>>({ value: ({ created_at }) => timeOf(created_at), overlap: days * DAY_MS })

const people = {
  query: { 'user.fields': PERSON_FIELDS },
  items: (response: ListResponse<User>) => listOf(response),
  kind: contact,
  types: ['contacts' as const],
  pages: pages(1000),
  every: '1d',
  class: 'core' as const,
  deletes: 'all' as const,
  scope: ['users.read', 'tweet.read', 'follows.read'],
}

/**
 * OAuth 2.0 has no documented parameter that forces a new login (`force_login` is OAuth 1.0a's). Reading is billed per
 * record and day, so walks are short.
 */
export const x = defineConnector({
  service: 'x',
  aliases: ['twitter'],
  title: 'X',
  docs: 'https://docs.x.com/x-api/introduction',
  auth: oauth2({
    authorizeUrl: 'https://x.com/i/oauth2/authorize',
    tokenUrl: 'https://api.x.com/2/oauth2/token',
    revokeUrl: 'https://api.x.com/2/oauth2/revoke',
    revokeEnds: 'token',
    tokenAuth: 'basic_raw',
    // Without `offline.access` a grant expires after two hours.
    scope: {
      default: ['tweet.read', 'users.read', 'follows.read', 'like.read', 'bookmark.read', 'offline.access'],
    },
    flags: { dm: { scope: ['dm.read', 'dm.write'] } },
  }),
  api: {
    baseUrl: 'https://api.x.com/2',
    rate,
    recovery,
  },
  self: self<{ data: User }>(
    '/users/me',
    ({ data }) => ({
      id: data.id,
      name: data.name,
      handle: data.username,
      url: pageOf(data),
      photo: pictureUrl(data),
      description: data.description,
      location: data.location,
    }),
    { 'user.fields': PERSON_FIELDS },
  ),
  hook,
  endpoints: {
    following: endpoint<ListResponse<User>, User>({ ...people, path: '/users/{id}/following' }),
    followers: endpoint<ListResponse<User>, User>({ ...people, path: '/users/{id}/followers' }),
    // The newest 3200. An edit is a new post that replaces the old one, and deletions are not reported, so days are
    // read again.
    tweets: endpoint<ListResponse<Tweet>, Joined<Tweet>>({
      ...tweets,
      path: '/users/{id}/tweets',
      checkpoint: rereadNewest(3),
      every: '15m',
      class: 'personal',
      deletes: 'window',
    }),
    // Sorted by the time of the like, which no field has: a walk ends at a hundred posts that are all a month old.
    likes: endpoint<ListResponse<Tweet>, Joined<Tweet>>({
      ...tweets,
      path: '/users/{id}/liked_tweets',
      feed: true,
      checkpoint: rereadNewest(30),
      every: '1h',
      class: 'personal',
      scope: [...tweets.scope, 'like.read'],
    }),
    bookmarks: endpoint<ListResponse<Tweet>, Joined<Tweet>>({
      ...tweets,
      path: '/users/{id}/bookmarks',
      feed: true,
      checkpoint: rereadNewest(30),
      every: '1h',
      class: 'personal',
      scope: [...tweets.scope, 'bookmark.read'],
    }),
    timeline: endpoint<ListResponse<Tweet>, Joined<Tweet>>({
      ...tweets,
      path: '/users/{id}/timelines/reverse_chronological',
      feed: true,
      checkpoint: newerThan,
      every: '15m',
      class: 'social',
    }),
    mentions: endpoint<ListResponse<Tweet>, Joined<Tweet>>({
      ...tweets,
      path: '/users/{id}/mentions',
      feed: true,
      checkpoint: newerThan,
      every: '15m',
      class: 'social',
    }),
    // The last 30 days, sent and received, without encrypted ones; 15 calls in 15 minutes.
    direct_messages: endpoint<ListResponse<Message>, Joined<Message>>({
      path: '/dm_events',
      query: {
        event_types: 'MessageCreate',
        'dm_event.fields':
          'attachments,created_at,dm_conversation_id,entities,event_type,id,participant_ids,referenced_tweets,sender_id,text',
        expansions: 'attachments.media_keys,participant_ids,sender_id',
        'user.fields': TWEET_QUERY['user.fields'],
        'media.fields': TWEET_QUERY['media.fields'],
      },
      items: joinMessages,
      kind: message,
      types: ['messages'],
      pages: pages(100),
      checkpoint: untilKnown({ value: ({ created_at }) => timeOf(created_at), overlap: 3_600_000 }),
      every: '15m',
      class: 'personal',
      scope: ['dm.read', 'tweet.read', 'users.read'],
    }),
  },
})
