import { oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { since } from '#kit/endpoints/checkpoint.ts'
import { type EndpointInput, endpoint } from '#kit/endpoints/endpoint.ts'
import { signedRequest } from '#kit/hooks/signed-request.ts'
import type { Kind } from '#kit/read/kind.ts'
import { timeOf } from '#kit/read/kind.ts'
import { api, type Edge, hook, isAppRemoved, pagesOf, VERSION } from './graph.ts'
import { ALBUM_FIELDS, album, PHOTO_FIELDS, photo, VIDEO_FIELDS, video } from './media.ts'
import { contact, event, page } from './others.ts'
import { isByOthers, POST_FIELDS, post } from './post.ts'
import type { Post } from './shapes.ts'

interface Me {
  id: string
  name?: string
  email?: string
  link?: string
  picture?: { data?: { url?: string } }
  location?: { name?: string }
}

const GRAPH = `https://graph.facebook.com/${VERSION}`
const FORTNIGHT_S = 14 * 86_400

/**
 * Posts of a timeline, newest first, with `since` in seconds. Reads the last two weeks again, because comments arrive
 * late.
 */
const sincePosts = since<Post>({
  param: 'since',
  value: (raw) => {
    const ms = timeOf(raw.created_time)
    return ms === undefined ? undefined : Math.floor(ms / 1000)
  },
  overlap: FORTNIGHT_S,
})

/** Reads a whole edge in every run. */
const wholeEdge = <Raw>(
  path: string,
  query: Record<string, string>,
  kind: Kind<Raw>,
  rest: Pick<EndpointInput<Edge<Raw>, Raw>, 'types' | 'every' | 'class' | 'scope' | 'deletes'> & { feed?: boolean },
) => endpoint({ path, query, items: (body: Edge<Raw>) => body.data, kind, pages: pagesOf(100), ...rest })

/** Posts of friends, groups and messages have no API for people; pages have another API and token. */
export const facebook = defineConnector({
  service: 'facebook',
  title: 'Facebook',
  docs: 'https://developers.facebook.com/docs/graph-api/reference/user',
  category: 'people',
  settings: [{ name: 'config_id', title: 'Configuration ID (Facebook Login for Business)' }],
  conditions: [
    {
      says: 'Each permission beyond public_profile and email needs an app review before people without a role in the app can grant it.',
      source: 'https://developers.facebook.com/docs/permissions',
      checked: '2026-11-19',
    },
  ],
  auth: oauth2({
    authorizeUrl: `https://www.facebook.com/${VERSION}/dialog/oauth`,
    tokenUrl: `${GRAPH}/oauth/access_token`,
    tokenMethod: 'GET',
    // PKCE is supported only for OpenID Connect, where it replaces the secret.
    pkce: false,
    scope: {
      default: [
        'public_profile',
        'email',
        'user_posts',
        'user_photos',
        'user_videos',
        'user_friends',
        'user_likes',
        'user_events',
        'user_link',
        'user_location',
      ],
      separator: ',',
      unlessSetting: 'config_id',
    },
    // Facebook Login for Business: the permissions are those of the configuration.
    parameters: { authorize: { config_id: '{setting.config_id}' } },
    // Exchanges a token of one hour for one of 60 days, which cannot be renewed.
    longToken: {
      url: `${GRAPH}/oauth/access_token`,
      method: 'GET',
      parameters: {
        grant_type: 'fb_exchange_token',
        client_id: '{key}',
        client_secret: '{secret}',
        fb_exchange_token: '{token}',
      },
    },
    revokeUrl: `${GRAPH}/me/permissions`,
    revoke: {
      method: 'DELETE',
      tokenPlacement: 'query',
      parameters: { access_token: '{token}', appsecret_proof: '{proof}' },
      isGone: isAppRemoved,
    },
    // The permissions belong to the person and the app; a single token cannot be ended.
    revokeEnds: 'grant',
    proof: 'appsecret_proof',
    verifyApp: {
      url: `${GRAPH}/debug_token`,
      method: 'GET',
      parameters: { input_token: '{token}', access_token: '{key}|{secret}' },
      read: (body) => {
        const { app_id, is_valid } = (body as { data?: { app_id?: string | number; is_valid?: boolean } }).data ?? {}
        return is_valid === true && app_id !== undefined ? String(app_id) : undefined
      },
    },
    // The token response names no scope, and people can decline each permission.
    grantedScope: {
      url: `${GRAPH}/debug_token`,
      method: 'GET',
      parameters: { input_token: '{token}', access_token: '{key}|{secret}' },
      read: (body) => (body as { data?: { scopes?: string[] } }).data?.scopes,
    },
    errors: { 1: 'retry', 2: 'retry', 4: 'retry', 17: 'retry', 190: 'reauthorize', 101: 'stop' },
    forceLogin: { parameters: { auth_type: 'reauthenticate' } },
  }),
  api,
  self: self<Me>(
    '/me',
    (me) => ({
      id: me.id,
      name: me.name,
      email: me.email,
      url: me.link ?? `https://www.facebook.com/${me.id}`,
      photo: me.picture?.data?.url,
      location: me.location?.name,
    }),
    { fields: 'id,name,first_name,last_name,email,link,location{id,name},picture.width(400).height(400)' },
  ),
  hook,
  deletion: signedRequest,
  endpoints: {
    posts: endpoint({
      path: '/me/posts',
      query: { fields: POST_FIELDS },
      items: (body: Edge<Post>) => body.data,
      kind: post,
      types: ['statuses'],
      // With nested comments and reactions, larger pages are refused.
      pages: pagesOf(25),
      checkpoint: sincePosts,
      every: '30m',
      class: 'personal',
      scope: ['user_posts'],
    }),
    feed: endpoint({
      path: '/me/feed',
      query: { fields: POST_FIELDS },
      items: (body: Edge<Post>) => body.data?.filter(isByOthers),
      kind: post,
      types: ['statuses'],
      feed: true,
      pages: pagesOf(25),
      checkpoint: sincePosts,
      every: '1h',
      class: 'social',
      scope: ['user_posts'],
    }),
    photos: wholeEdge('/me/photos', { type: 'uploaded', fields: PHOTO_FIELDS }, photo, {
      types: ['photos'],
      every: '12h',
      class: 'personal',
      scope: ['user_photos'],
      deletes: 'all',
    }),
    tagged_photos: wholeEdge('/me/photos', { type: 'tagged', fields: PHOTO_FIELDS }, photo, {
      types: ['photos'],
      feed: true,
      every: '1d',
      class: 'social',
      scope: ['user_photos'],
    }),
    albums: wholeEdge('/me/albums', { fields: ALBUM_FIELDS }, album, {
      types: [],
      every: '1d',
      class: 'personal',
      scope: ['user_photos'],
      deletes: 'all',
    }),
    videos: wholeEdge('/me/videos', { type: 'uploaded', fields: VIDEO_FIELDS }, video, {
      types: ['videos'],
      every: '12h',
      class: 'personal',
      scope: ['user_videos'],
      deletes: 'all',
    }),
    events: wholeEdge(
      '/me/events',
      {
        fields:
          'id,name,description,start_time,end_time,updated_time,place{id,name,location},owner{id,name},cover{source},rsvp_status,is_canceled,is_online',
      },
      event,
      { types: ['events'], every: '6h', class: 'personal', scope: ['user_events'] },
    ),
    // Other fields of a page that the app does not manage need a feature of its own (“Page Public Content Access”); with one
    // of them the whole list is refused.
    likes: wholeEdge('/me/likes', { fields: 'id,name,created_time' }, page, {
      types: [],
      every: '1d',
      class: 'personal',
      scope: ['user_likes'],
      deletes: 'all',
    }),
    // Only friends who also granted `user_friends` to this app.
    friends: wholeEdge('/me/friends', { fields: 'id,name,picture.width(400).height(400)' }, contact, {
      types: ['contacts'],
      every: '1d',
      class: 'core',
      scope: ['user_friends'],
      deletes: 'all',
    }),
  },
})
