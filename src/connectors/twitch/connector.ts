import { oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { rateFrom } from '#kit/connector/rate.ts'
import { type Checkpoint, since } from '#kit/endpoints/checkpoint.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { cursorPages } from '#kit/endpoints/pages.ts'
import { timeOf } from '#kit/read/kind.ts'
import { newestWindow, withEarlierWindows } from './clip-windows.ts'
import {
  type Clip,
  clip,
  type Follow,
  type Follower,
  follow,
  follower,
  type Subscription,
  subscription,
  type Video,
  video,
} from './kinds.ts'

interface Listing<Raw> {
  data?: Raw[]
  pagination?: { cursor?: string }
}

const pages = cursorPages({
  param: 'after',
  from: ({ pagination }: Listing<unknown>) => pagination?.cursor,
  size: { param: 'first', value: 100 },
})

// Where a run begins is decided by `newestWindow`.
const newestClip: Checkpoint<Clip> = {
  ...since<Clip>({ param: '', value: ({ created_at }) => timeOf(created_at) }),
  query: () => ({}),
}

const itemsOf = <Raw>({ data }: Listing<Raw>) => data

/** Every call carries the app's key besides the token. Endpoints list what the person's own channel has. */
export const twitch = defineConnector({
  service: 'twitch',
  title: 'Twitch',
  docs: 'https://dev.twitch.tv/docs/api/reference',
  category: 'media',
  auth: oauth2({
    authorizeUrl: 'https://id.twitch.tv/oauth2/authorize',
    tokenUrl: 'https://id.twitch.tv/oauth2/token',
    pkce: false,
    scope: {
      default: ['user:read:email', 'user:read:follows', 'moderator:read:followers', 'channel:read:subscriptions'],
    },
    errorField: 'message',
    errors: {
      'Invalid refresh token': 'reauthorize',
      'invalid client secret': 'stop',
      'invalid client': 'stop',
      'client does not exist': 'stop',
    },
    revokeUrl: 'https://id.twitch.tv/oauth2/revoke',
    // Takes access tokens only, and no secret.
    revoke: {
      method: 'POST',
      tokenPlacement: 'form',
      tokenAuth: 'none',
      isGone: ({ status, body }) =>
        status === 400 && (body as { message?: string } | undefined)?.message === 'Invalid token',
    },
    revokeEnds: 'token',
    // https://dev.twitch.tv/docs/authentication/validate-tokens
    verifyApp: {
      url: 'https://id.twitch.tv/oauth2/validate',
      method: 'GET',
      parameters: {},
      headers: { authorization: 'OAuth {token}' },
      read: (body) => (body as { client_id?: string }).client_id,
    },
    forceLogin: { parameters: { force_verify: 'true' } },
  }),
  api: {
    baseUrl: 'https://api.twitch.tv/helix',
    headers: { 'client-id': '{key}' },
    limits: { person: { calls: 800, perS: 60 } },
    rate: rateFrom({ remaining: 'ratelimit-remaining', reset: 'ratelimit-reset', of: 'person' }),
    recovery: ({ status, body }) => {
      const { message = '' } = (body ?? {}) as { message?: string }
      if (status !== 401) return undefined
      // The token is valid: only this was not granted.
      if (message.startsWith('Missing scope')) return 'not_granted'
      return message.startsWith('Client ID and OAuth token') ? 'stop' : undefined
    },
  },
  self: self('/users', {
    id: 'data.0.id',
    name: 'data.0.display_name',
    handle: 'data.0.login',
    email: 'data.0.email',
    photo: 'data.0.profile_image_url',
    description: 'data.0.description',
  }),
  endpoints: {
    follows: endpoint<Listing<Follow>, Follow>({
      path: '/channels/followed',
      query: { user_id: '{id}' },
      items: itemsOf,
      kind: follow,
      types: ['contacts'],
      pages,
      every: '1d',
      class: 'core',
      deletes: 'all',
      scope: ['user:read:follows'],
    }),
    followers: endpoint<Listing<Follower>, Follower>({
      path: '/channels/followers',
      query: { broadcaster_id: '{id}' },
      items: itemsOf,
      kind: follower,
      types: ['contacts'],
      pages,
      every: '1d',
      class: 'core',
      deletes: 'all',
      scope: ['moderator:read:followers'],
    }),
    subscriptions: endpoint<Listing<Subscription>, Subscription>({
      path: '/subscriptions',
      query: { broadcaster_id: '{id}' },
      items: itemsOf,
      kind: subscription,
      types: ['contacts'],
      pages,
      every: '1d',
      class: 'personal',
      deletes: 'all',
      scope: ['channel:read:subscriptions'],
    }),
    // Archives end after some days or weeks, so every run lists all.
    videos: endpoint<Listing<Video>, Video>({
      path: '/videos',
      query: { user_id: '{id}' },
      items: itemsOf,
      kind: video,
      types: ['videos'],
      pages,
      every: '6h',
      class: 'personal',
      deletes: 'all',
    }),
    clips: endpoint<Listing<Clip>, Clip>({
      path: '/clips',
      query: { broadcaster_id: '{id}' },
      items: itemsOf,
      kind: clip,
      types: ['videos'],
      pages: withEarlierWindows(pages),
      prepare: newestWindow,
      checkpoint: newestClip,
      every: '6h',
      wholeEvery: '7d',
      class: 'personal',
      deletes: 'all',
    }),
  },
})
