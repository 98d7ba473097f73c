import { oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { since } from '#kit/endpoints/checkpoint.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { cursorPages, numberPages, type Pages } from '#kit/endpoints/pages.ts'
import { fromToken } from '#kit/read/facts.ts'
import { AUTH_ERRORS, api, TIER_2, TIER_3 } from './api.ts'
import { hook, personId } from './hook.ts'
import { conversation, file, message, reacted, user } from './kinds.ts'
import type { Answer, Conversation, File, Identity, Message, Reacted, StoredMessage, User } from './shapes.ts'

const pages = cursorPages({
  param: 'cursor',
  from: (body: Answer) => body.response_metadata?.next_cursor,
  size: { param: 'limit', value: 200 },
})

/** Files have numbered pages, and say how many. */
const numbered = numberPages({ param: 'page', size: { param: 'count', value: 100 } })
const filePages: Pages = {
  ...numbered,
  next: (page) => {
    const { paging } = page.body as { paging?: { page?: number; pages?: number } }
    return (paging?.page ?? 1) < (paging?.pages ?? 1) ? numbered.next(page) : undefined
  },
}

/** One type without its scope would make Slack refuse the whole list. */
const TYPES: [type: string, scope: string][] = [
  ['public_channel', 'channels:read'],
  ['private_channel', 'groups:read'],
  ['mpim', 'mpim:read'],
  ['im', 'im:read'],
]

/** How far back a run reads again, to find edits and deletions: two days. */
const OVERLAP_S = 2 * 86_400

interface Messages extends Answer {
  messages?: Message[]
}

const inChannel = (body: Messages, channel: string): StoredMessage[] | undefined =>
  body.messages?.map((each) => ({ ...each, channel }))

/**
 * The Web API with a token of the person, not of a bot. An id of a person is unique in a workspace, so that the profile's is
 * `U…@T…`. Conversations are those that the person is a member of, with the messages since they exist.
 */
export const slack = defineConnector({
  service: 'slack',
  title: 'Slack',
  docs: 'https://docs.slack.dev/apis/web-api/',
  category: 'communication',
  callback: 'https',
  conditions: [
    {
      says: 'The redirect address must be https, also during development.',
      source: 'https://authjs.dev/getting-started/providers/slack',
    },
  ],
  auth: oauth2({
    noAppCheck: '`auth.test` names person and workspace; for tokens of people it leaves the app out.',
    authorizeUrl: 'https://slack.com/oauth/v2/authorize',
    tokenUrl: 'https://slack.com/api/oauth.v2.access',
    tokenAuth: 'basic',
    // An app has to switch it on, for ever.
    pkce: false,
    scope: {
      // `scope` would request a bot.
      name: 'user_scope',
      granted: 'scope',
      separator: ',',
      default: [
        'channels:read',
        'channels:history',
        'groups:read',
        'groups:history',
        'users:read',
        'users.profile:read',
        'files:read',
        'reactions:read',
      ],
    },
    flags: {
      dm: { scope: ['im:read', 'im:history', 'mpim:read', 'mpim:history'] },
      email: { scope: ['users:read.email'] },
    },
    tokenPath: ['authed_user'],
    subject: 'id',
    facts: { user: fromToken('id') },
    errorField: 'error',
    errors: AUTH_ERRORS,
    revokeUrl: 'https://slack.com/api/auth.revoke',
    revoke: {
      method: 'POST',
      tokenPlacement: 'bearer',
      isGone: ({ body }) =>
        ['token_revoked', 'invalid_auth', 'account_inactive', 'not_authed'].includes((body as Answer)?.error ?? ''),
    },
    // A person who signs in again gets the same token, so that ending it would end that of other profiles.
    revokeEnds: 'grant',
  }),
  api,
  self: self<Identity>({
    path: '/auth.test',
    also: { about: { path: '/users.profile.get' } },
    read: ({ user_id: id, team_id: team, user: handle, bot_id: bot, about }) => ({
      id: bot === undefined ? personId(id, team) : '',
      handle,
      name: about?.profile?.real_name ?? handle,
      email: about?.profile?.email,
      photo: about?.profile?.image_512 ?? about?.profile?.image_192,
      description: about?.profile?.title,
    }),
    alsoKnownAs: ({ user_id: id }) => id,
  }),
  hook,
  endpoints: {
    users: endpoint<Answer & { members?: User[] }, User>({
      path: '/users.list',
      items: ({ members }) => members?.filter(({ id, is_bot: isBot }) => isBot !== true && id !== 'USLACKBOT'),
      kind: user,
      types: ['contacts'],
      pages,
      every: '1d',
      class: 'core',
      deletes: 'all',
      scope: ['users:read'],
      weight: TIER_2,
    }),
    conversations: endpoint<Answer & { channels?: Conversation[] }, Conversation>({
      path: '/users.conversations',
      items: ({ channels }) => channels,
      prepare: (request, { granted }) => {
        const types = TYPES.filter(([, scope]) => granted?.includes(scope) ?? true).map(([type]) => type)
        return { ...request, query: { ...request.query, types: types.join(',') || 'public_channel' } }
      },
      kind: conversation,
      types: [],
      pages,
      every: '1h',
      class: 'personal',
      deletes: 'all',
      weight: TIER_3,
    }),
    messages: endpoint<Messages, StoredMessage, Conversation>({
      each: 'conversations',
      path: '/conversations.history',
      query: { channel: '{parent}' },
      items: (body, { parent }) => inChannel(body, parent.id),
      kind: message,
      types: ['messages'],
      pages,
      checkpoint: since<StoredMessage>({
        param: 'oldest',
        value: ({ ts }) => (Number.isFinite(Number(ts)) ? Math.floor(Number(ts)) : undefined),
        overlap: OVERLAP_S,
        format: (seconds) => String(Math.max(0, seconds)),
      }),
      every: '30m',
      class: 'personal',
      deletes: 'window',
      weight: TIER_3,
    }),
    replies: endpoint<Messages, StoredMessage, StoredMessage>({
      each: 'messages',
      when: 'changed',
      version: ({ reply_count: count, latest_reply: latest }) => `${count} ${latest}`,
      allEvery: '7d',
      where: ({ reply_count: count, thread_ts: thread, ts }) => (count ?? 0) > 0 && (thread ?? ts) === ts,
      path: '/conversations.replies',
      prepare: (request, { from }) => {
        if (from === undefined) return request
        const { channel, ts } = from.parent.record as StoredMessage
        return { ...request, query: { ...request.query, channel, ts } }
      },
      // The first message of every page may be the one that they answer.
      items: (body, { parent }) => inChannel(body, parent.record.channel)?.filter(({ ts }) => ts !== parent.record.ts),
      kind: message,
      types: ['messages'],
      pages,
      every: '1h',
      class: 'personal',
      deletes: 'all',
      weight: TIER_3,
    }),
    files: endpoint<Answer & { files?: File[] }, File>({
      path: '/files.list',
      query: { user: '{fact.user}' },
      items: ({ files }) => files,
      kind: file,
      types: ['files'],
      pages: filePages,
      every: '6h',
      class: 'personal',
      deletes: 'all',
      scope: ['files:read'],
      weight: TIER_3,
    }),
    reactions: endpoint<Answer & { items?: Reacted[] }, Reacted>({
      path: '/reactions.list',
      query: { full: 'true' },
      items: ({ items }) => items,
      kind: reacted,
      types: [],
      pages,
      every: '6h',
      class: 'personal',
      deletes: 'all',
      scope: ['reactions:read'],
      weight: TIER_2,
    }),
  },
})
