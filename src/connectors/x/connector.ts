import { oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { since, sinceId } from '#kit/endpoints/checkpoint.ts'
import { endpoint, type PrepareContext } from '#kit/endpoints/endpoint.ts'
import { cursorPages, type PageRequest } from '#kit/endpoints/pages.ts'
import { timeOf } from '#kit/read/kind.ts'
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
import { knownIds } from './known-ids.ts'
import { rate, recovery } from './protocol.ts'
import { MESSAGE_QUERY, TWEET_QUERY, withNewerMessageWords, withPostWords } from './queries.ts'
import { pageOf, pictureUrl, tweet } from './tweet-kind.ts'

const DAY_MS = 86_400_000
const OLDEST_START_MS = Date.UTC(2010, 10, 6, 0, 0, 1)
const PERSON_FIELDS = 'created_at,description,entities,location,name,profile_image_url,protected,url,username,verified'

const pages = (size: number) =>
  cursorPages({
    param: 'pagination_token',
    from: ({ meta }: ListResponse<unknown>) => meta?.next_token,
    size: { param: 'max_results', value: size },
  })

/**
 * The vendor's price list of August 2026 (docs.x.com/x-api/getting-started/pricing), for people who do not own the app. The same record
 * is charged once a day (UTC) only; it is counted each time, because the vendor does not promise that.
 */
const priced = (perRecord: string, min: number) => ({
  price: { currency: 'USD', perRecord, records: { param: 'max_results', min, otherwise: 100 } },
})
const POST = '0.005'
const [PERSON, DM_EVENT] = ['0.010', '0.010']

/** What is known ends a walk, so the pages after the first walk are small: each record of a page is paid for. */
const smallPages = (size: number) => ({
  prepare: (request: PageRequest, { watermark }: PrepareContext): PageRequest =>
    watermark === undefined ? request : { ...request, query: { ...request.query, max_results: String(size) } },
})

const tweets = {
  query: TWEET_QUERY,
  alternative: withPostWords,
  items: joinTweets,
  kind: tweet,
  types: ['statuses' as const],
  pages: pages(100),
  scope: ['tweet.read', 'users.read'],
}

const newerThan = sinceId<Joined<Tweet>>({ param: 'since_id', id: ({ id }) => id })
const lastDay = since<Joined<Tweet>>({
  param: 'start_time',
  value: ({ created_at }) => timeOf(created_at),
  overlap: DAY_MS,
  // Earlier times are refused.
  format: (atMs) => `${new Date(Math.max(atMs, OLDEST_START_MS)).toISOString().slice(0, 19)}Z`,
})

const people = {
  query: { 'user.fields': PERSON_FIELDS },
  items: (response: ListResponse<User>) => listOf(response),
  kind: contact,
  types: ['contacts' as const],
  pages: pages(100),
  ...priced(PERSON, 1),
  every: '7d',
  class: 'core' as const,
  deletes: 'all' as const,
  scope: ['users.read', 'tweet.read', 'follows.read'],
}

/**
 * OAuth 2.0 has no documented parameter that forces a new login (`force_login` is OAuth 1.0a's). Reading is billed by the
 * record, so every endpoint has a price and walks are short. Requests use the vocabulary of the guides (“tweet”); if X refuses
 * it, that of its OpenAPI description (“post”).
 */
export const x = defineConnector({
  service: 'x',
  aliases: ['twitter'],
  title: 'X',
  docs: 'https://docs.x.com/x-api/introduction',
  category: 'people',
  conditions: [
    {
      says: 'Reading is paid for by the record, with credits that the app buys first.',
      source: 'https://docs.x.com/x-api/getting-started/pricing',
      checked: '2026-11-19',
    },
  ],
  auth: oauth2({
    noAppCheck: 'No call names the app of a token of OAuth 2.',
    authorizeUrl: 'https://x.com/i/oauth2/authorize',
    tokenUrl: 'https://api.x.com/2/oauth2/token',
    revokeUrl: 'https://api.x.com/2/oauth2/revoke',
    revokeEnds: 'token',
    tokenAuth: 'basic_raw',
    // Without `offline.access` a grant expires after two hours.
    scope: {
      default: ['tweet.read', 'users.read', 'follows.read', 'like.read', 'bookmark.read', 'offline.access'],
    },
    // The app’s settings at X must allow `users.email` (“Request email from users”).
    flags: { dm: { scope: ['dm.read'] }, email: { scope: ['users.email'] } },
  }),
  api: {
    baseUrl: 'https://api.x.com/2',
    rate,
    recovery,
  },
  self: self<{ data: User }>({
    path: '/users/me',
    // `confirmed_email` is left out of the response without the scope `users.email`.
    query: { 'user.fields': `confirmed_email,${PERSON_FIELDS}` },
    every: '7d',
    price: { currency: 'USD', perRecord: PERSON, records: 1 },
    read: ({ data }) => ({
      id: data.id,
      name: data.name,
      handle: data.username,
      url: pageOf(data),
      photo: pictureUrl(data),
      email: data.confirmed_email,
      description: data.description,
      location: data.location,
    }),
  }),
  hook,
  endpoints: {
    following: endpoint<ListResponse<User>, User>({ ...people, path: '/users/{id}/following' }),
    followers: endpoint<ListResponse<User>, User>({ ...people, path: '/users/{id}/followers' }),
    // The newest 3200. An edit is a new post that replaces the old one within an hour, and deletions are not reported,
    // so the last day is read again.
    tweets: endpoint<ListResponse<Tweet>, Joined<Tweet>>({
      ...tweets,
      ...priced(POST, 5),
      path: '/users/{id}/tweets',
      checkpoint: lastDay,
      every: '6h',
      class: 'personal',
      deletes: 'window',
    }),
    likes: endpoint<ListResponse<Tweet>, Joined<Tweet>>({
      ...tweets,
      ...priced(POST, 5),
      ...smallPages(5),
      path: '/users/{id}/liked_tweets',
      feed: true,
      checkpoint: knownIds(({ id }) => id),
      every: '6h',
      class: 'personal',
      scope: [...tweets.scope, 'like.read'],
    }),
    bookmarks: endpoint<ListResponse<Tweet>, Joined<Tweet>>({
      ...tweets,
      ...priced(POST, 1),
      ...smallPages(5),
      path: '/users/{id}/bookmarks',
      feed: true,
      checkpoint: knownIds(({ id }) => id),
      every: '6h',
      class: 'personal',
      scope: [...tweets.scope, 'bookmark.read'],
    }),
    timeline: endpoint<ListResponse<Tweet>, Joined<Tweet>>({
      ...tweets,
      ...priced(POST, 1),
      path: '/users/{id}/timelines/reverse_chronological',
      feed: true,
      checkpoint: newerThan,
      every: '6h',
      class: 'social',
    }),
    mentions: endpoint<ListResponse<Tweet>, Joined<Tweet>>({
      ...tweets,
      ...priced(POST, 5),
      path: '/users/{id}/mentions',
      feed: true,
      checkpoint: newerThan,
      every: '6h',
      class: 'social',
    }),
    // The last 30 days, sent and received, without encrypted ones; 15 calls in 15 minutes.
    direct_messages: endpoint<ListResponse<Message>, Joined<Message>>({
      ...priced(DM_EVENT, 1),
      ...smallPages(5),
      path: '/dm_events',
      query: MESSAGE_QUERY,
      alternative: withNewerMessageWords,
      items: joinMessages,
      kind: message,
      types: ['messages'],
      pages: pages(100),
      checkpoint: knownIds(({ id }) => id),
      every: '6h',
      class: 'personal',
      scope: ['dm.read', 'tweet.read', 'users.read'],
    }),
  },
})
