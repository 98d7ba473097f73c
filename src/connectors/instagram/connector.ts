import { oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { untilKnown } from '#kit/endpoints/checkpoint.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { signedRequest } from '#kit/hooks/signed-request.ts'
import { timeOf } from '#kit/read/kind.ts'
import { api, type Edge, pagesOf } from './graph.ts'
import { hook } from './hook.ts'
import { COMMENTERS, media, OWN_FIELDS, STORY_FIELDS, TAGGED_FIELDS, taggedMedia } from './media.ts'
import type { Account, Conversation, Media, MediaWithComments, Message } from './shapes.ts'
import { COMMENT_FIELDS, comment, commentsIn, MESSAGE_FIELDS, message, messagesIn } from './talk.ts'

const DAY_MS = 86_400_000
const BASIC = 'instagram_business_basic'
const COMMENTS = 'instagram_business_manage_comments'
const MESSAGES = 'instagram_business_manage_messages'

/** Instagram API with Instagram Login: for professional accounts (business and creator), the only ones with an API. */
export const instagram = defineConnector({
  service: 'instagram',
  title: 'Instagram',
  docs: 'https://developers.facebook.com/documentation/instagram-platform/instagram-api-with-instagram-login',
  category: 'people',
  conditions: [
    {
      says: 'Only professional accounts (business or creator) can sign in.',
      source: 'https://developers.facebook.com/docs/instagram-platform/overview',
      checked: '2026-11-19',
    },
    {
      says: 'Accounts that the owner of the app does not manage need Advanced Access, which needs an app review.',
      source: 'https://developers.facebook.com/docs/instagram-platform/app-review',
      checked: '2026-11-19',
    },
  ],
  auth: oauth2({
    noAppCheck:
      'No call names the app of a token, the exchange with the secret takes tokens of the first hour only, and there is no refresh token.',
    authorizeUrl: 'https://www.instagram.com/oauth/authorize',
    tokenUrl: 'https://api.instagram.com/oauth/access_token',
    pkce: false,
    scope: { default: [BASIC, COMMENTS], separator: ',', granted: 'permissions' },
    // `{"data":[{"access_token","user_id","permissions"}]}`, or the same object without `data`.
    tokenPath: ['data', '0'],
    subject: 'user_id',
    // Exchanges a token of one hour for one of 60 days …
    longToken: {
      url: 'https://graph.instagram.com/access_token',
      method: 'GET',
      parameters: { grant_type: 'ig_exchange_token', client_secret: '{secret}', access_token: '{token}' },
    },
    // … and renews it for another 60 days, if it is valid and at least a day old.
    renew: {
      url: 'https://graph.instagram.com/refresh_access_token',
      method: 'GET',
      parameters: { grant_type: 'ig_refresh_token', access_token: '{token}' },
      aheadS: 20 * 86_400,
    },
    errors: { 1: 'retry', 2: 'retry', 4: 'retry', 17: 'retry', 190: 'reauthorize', 101: 'stop' },
    flags: { dm: { scope: [MESSAGES] } },
    forceLogin: { parameters: { force_reauth: 'true' } },
  }),
  api,
  self: self<Account & Edge<Account>>(
    '/me',
    (body) => {
      const account = body.data?.[0] ?? body
      return {
        id: String(account.user_id ?? account.id),
        name: account.name ?? account.username,
        handle: account.username,
        url: account.username && `https://www.instagram.com/${account.username}/`,
        photo: account.profile_picture_url,
        description: account.biography,
      }
    },
    {
      fields:
        'id,user_id,username,name,account_type,profile_picture_url,biography,website,followers_count,follows_count,media_count',
    },
    // The token response has the app-scoped id of the person.
    (body) => {
      const { id } = body.data?.[0] ?? body
      return id === undefined ? undefined : String(id)
    },
  ),
  hook,
  deletion: signedRequest,
  endpoints: {
    media: endpoint({
      path: '/me/media',
      query: { fields: OWN_FIELDS },
      prepare: (request, { granted }) =>
        granted?.includes(COMMENTS)
          ? { ...request, query: { ...request.query, fields: `${OWN_FIELDS},${COMMENTERS}` } }
          : request,
      items: (body: Edge<Media>) => body.data,
      kind: media,
      types: ['photos'],
      pages: pagesOf(50),
      // Newest first, without a time parameter. Reads the last month again, because likes and edits arrive late.
      checkpoint: untilKnown({ value: (raw: Media) => timeOf(raw.timestamp), overlap: 30 * DAY_MS }),
      every: '1h',
      class: 'personal',
      deletes: 'window',
      scope: [BASIC],
    }),
    // Stories disappear from the service after a day and are kept here.
    stories: endpoint({
      path: '/me/stories',
      query: { fields: STORY_FIELDS },
      items: (body: Edge<Media>) => body.data,
      kind: media,
      types: ['photos'],
      pages: pagesOf(50),
      every: '3h',
      class: 'personal',
      scope: [BASIC],
    }),
    tags: endpoint({
      path: '/me/tags',
      query: { fields: TAGGED_FIELDS },
      items: (body: Edge<Media>) => body.data,
      kind: taggedMedia,
      types: ['photos'],
      feed: true,
      pages: pagesOf(50),
      every: '12h',
      class: 'social',
      scope: [BASIC],
    }),
    comments: endpoint({
      path: '/me/media',
      query: { fields: COMMENT_FIELDS },
      items: (body: Edge<MediaWithComments>) => commentsIn(body.data),
      kind: comment,
      types: ['statuses'],
      feed: true,
      pages: pagesOf(25),
      every: '6h',
      class: 'social',
      scope: [COMMENTS],
    }),
    messages: endpoint({
      path: '/me/conversations',
      query: { platform: 'instagram', fields: MESSAGE_FIELDS },
      items: (body: Edge<Conversation>) => messagesIn(body.data),
      kind: message,
      types: ['messages'],
      pages: pagesOf(25),
      // Conversations are sorted by their last message, newest first.
      checkpoint: untilKnown({ value: (raw: Message) => timeOf(raw.created_time), overlap: DAY_MS }),
      every: '30m',
      class: 'personal',
      scope: [MESSAGES],
    }),
  },
})
