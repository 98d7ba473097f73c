import { oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector, type RateLimitInfo } from '#kit/connector/connector.ts'
import { sinceId, untilKnown } from '#kit/endpoints/checkpoint.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { linkPages } from '#kit/endpoints/pages.ts'
import { plainText, timeOf } from '#kit/read/kind.ts'
import { account, notification, status } from './kinds.ts'
import type { Account, Notification, Status } from './shapes.ts'

const DAY_MS = 86_400_000

/** Apps may ask for parts of `read`. */
const READ = ['accounts', 'bookmarks', 'favourites', 'notifications', 'statuses'].map((part) => `read:${part}`)

/** Reads the newest days again, because `since_id` would hide edits and deletions. */
const rereadNewest = (days: number) =>
  untilKnown<Status>({ value: ({ created_at }) => timeOf(created_at), overlap: days * DAY_MS })

/** Every Mastodon server, and servers with the same API. Apps need no key: each server registers them. */
export const mastodon = defineConnector({
  service: 'mastodon',
  title: 'Mastodon',
  docs: 'https://docs.joinmastodon.org/methods/oauth/',
  category: 'people',
  ask: {
    host: {
      title: 'Your Mastodon server',
      example: 'mastodon.social',
      hint: 'It is the last part of your address, after the second @.',
      kind: 'host',
      // Account 1 exists on every server.
      qualifiesIds: true,
    },
  },
  auth: oauth2({
    authorizeUrl: 'https://{host}/oauth/authorize',
    tokenUrl: 'https://{host}/oauth/token',
    // Ends only this token; the app stays among the person's authorized apps.
    revokeUrl: 'https://{host}/oauth/revoke',
    revokeEnds: 'token',
    scope: { default: ['read'], includes: { read: READ } },
    // https://docs.joinmastodon.org/methods/apps/#verify_credentials: any token of the app will do, since release 4.3.
    verifyApp: {
      url: 'https://{host}/api/v1/apps/verify_credentials',
      method: 'GET',
      parameters: {},
      headers: { authorization: 'Bearer {token}' },
      read: (body) => (body as { id?: string }).id,
      likeOwn: true,
    },
    forceLogin: { parameters: { force_login: 'true' } },
    registration: {
      kind: 'declared',
      url: 'https://{host}/api/v1/apps',
      body: 'form',
      parameters: { client_name: '{app}', redirect_uris: '{callback}', scopes: '{scope}', website: '{website}' },
      // What a sign-in may request at most; people consent to what it does request.
      scope: 'read write push',
    },
  }),
  api: {
    baseUrl: 'https://{host}',
    tokenPlaces: { query: ['bearer_token'], form: ['access_token', 'bearer_token'] },
    // Per account and server: https://docs.joinmastodon.org/api/rate-limits/
    limits: { person: { calls: 300, perS: 300 } },
    rate: rateOf,
    recovery: ({ status: code, body }) => {
      const error = errorOf(body)
      // A suspended or unconfirmed account: 403 with the same form as a missing scope.
      if (code === 403 && /login is currently disabled|pending approval|confirm/i.test(error)) return 'stop'
      if (code === 403 && /outside the authorized scopes/i.test(error)) return 'not_granted'
      return undefined
    },
  },
  self: self<Account>('/api/v1/accounts/verify_credentials', (me) => ({
    id: me.id,
    name: me.display_name || me.username,
    handle: me.acct,
    url: me.url ?? undefined,
    photo: me.avatar,
    description: plainText(me.note),
  })),
  endpoints: {
    following: endpoint<Account[], Account>({
      path: '/api/v1/accounts/{id}/following',
      query: { limit: '80' },
      items: (list) => list,
      kind: account,
      types: ['contacts'],
      pages: linkPages(),
      every: '1d',
      class: 'core',
      deletes: 'all',
      scope: ['read:accounts'],
    }),
    followers: endpoint<Account[], Account>({
      path: '/api/v1/accounts/{id}/followers',
      query: { limit: '80' },
      items: (list) => list,
      kind: account,
      types: ['contacts'],
      pages: linkPages(),
      every: '1d',
      class: 'core',
      deletes: 'all',
      scope: ['read:accounts'],
    }),
    statuses: endpoint<Status[], Status>({
      path: '/api/v1/accounts/{id}/statuses',
      query: { limit: '40' },
      items: (list) => list,
      kind: status,
      types: ['statuses'],
      pages: linkPages(),
      checkpoint: rereadNewest(30),
      every: '30m',
      class: 'personal',
      deletes: 'window',
      scope: ['read:statuses'],
    }),
    // In the order of favouriting, whose time is not in the record, so all are read.
    favourites: endpoint<Status[], Status>({
      path: '/api/v1/favourites',
      query: { limit: '40' },
      items: (list) => list,
      kind: status,
      types: ['statuses'],
      feed: true,
      pages: linkPages(),
      every: '12h',
      class: 'personal',
      deletes: 'all',
      scope: ['read:favourites'],
    }),
    bookmarks: endpoint<Status[], Status>({
      path: '/api/v1/bookmarks',
      query: { limit: '40' },
      items: (list) => list,
      kind: status,
      types: ['statuses'],
      feed: true,
      pages: linkPages(),
      every: '12h',
      class: 'personal',
      deletes: 'all',
      scope: ['read:bookmarks'],
    }),
    // The server keeps the newest 400 to 800.
    timeline: endpoint<Status[], Status>({
      path: '/api/v1/timelines/home',
      query: { limit: '40' },
      items: (list) => list,
      kind: status,
      types: ['statuses'],
      feed: true,
      pages: linkPages(),
      checkpoint: rereadNewest(1),
      every: '15m',
      class: 'social',
      deletes: 'window',
      scope: ['read:statuses'],
    }),
    notifications: endpoint<Notification[], Notification>({
      path: '/api/v1/notifications',
      query: { limit: '80' },
      items: (list) => list,
      kind: notification,
      types: ['messages'],
      pages: linkPages(),
      checkpoint: sinceId({ param: 'since_id', id: ({ id }) => id }),
      every: '15m',
      class: 'social',
      scope: ['read:notifications'],
    }),
  },
})

/** The reset is a date, not seconds. */
function rateOf(headers: Record<string, string>): RateLimitInfo | undefined {
  const remaining = headers['x-ratelimit-remaining']
  if (remaining === undefined || !/^\d{1,9}$/.test(remaining)) return undefined
  return { remaining: Number(remaining), resetAtMs: timeOf(headers['x-ratelimit-reset']), of: 'person' }
}

function errorOf(body: unknown): string {
  return String(((body ?? {}) as { error?: unknown }).error).slice(0, 300)
}
