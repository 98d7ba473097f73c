import { oauth1 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { rateFrom } from '#kit/connector/rate.ts'
import { sinceId, untilKnown } from '#kit/endpoints/checkpoint.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { timeOf } from '#kit/read/kind.ts'
import { idPages } from './id-pages.ts'
import { type Account, contact, type Message, message, type Status, status } from './kinds.ts'

interface Self extends Account {
  description?: string
  location?: string
  email?: string
}

const NO_MESSAGES = 93
const DAY_MS = 86_400_000

/** Reads the newest days again, because `since_id` would hide edits and deletions. */
const rereadNewest = (days: number) =>
  untilKnown<Status>({ value: ({ created_at }) => timeOf(created_at), overlap: days * DAY_MS })

export const demoMicro = defineConnector({
  service: 'demo-micro',
  title: 'Demo Micro',
  docs: 'lab/services/demo-micro/README.md',
  category: 'people',
  auth: oauth1({
    requestTokenUrl: 'https://demo-micro.test/oauth/request_token',
    authorizeUrl: 'https://demo-micro.test/oauth/authenticate',
    accessTokenUrl: 'https://demo-micro.test/oauth/access_token',
    revokeUrl: 'https://demo-micro.test/oauth/revoke',
    flags: { dm: { authorizeUrl: 'https://demo-micro.test/oauth/authorize', scope: ['direct_messages'] } },
    forceLogin: { parameters: { force_login: 'true' } },
  }),
  api: {
    baseUrl: 'https://demo-micro.test/api',
    limits: { person: { calls: 900, perS: 900 } },
    rate: rateFrom({ remaining: 'x-ratelimit-remaining', reset: 'x-ratelimit-reset', of: 'person' }),
    recovery: ({ status: code, body }) =>
      code === 403 && errorCodes(body).includes(NO_MESSAGES) ? 'not_granted' : undefined,
  },
  self: self<Self>('/me', (account) => ({
    id: account.id_str,
    name: account.name,
    handle: account.handle,
    email: account.email,
    url: account.url,
    description: account.description,
    location: account.location,
  })),
  endpoints: {
    statuses: endpoint<Status[], Status>({
      path: '/statuses/mine',
      items: (list) => list,
      kind: status,
      types: ['statuses'],
      pages: idPages,
      checkpoint: rereadNewest(30),
      every: '10m',
      class: 'personal',
      deletes: 'window',
    }),
    timeline: endpoint<Status[], Status>({
      path: '/statuses/timeline',
      items: (list) => list,
      kind: status,
      types: ['statuses'],
      feed: true,
      pages: idPages,
      checkpoint: rereadNewest(2),
      every: '5m',
      class: 'social',
      deletes: 'window',
    }),
    // Sorted by the status, not by the time of the like, so a new like can be on any page and all are read.
    favourites: endpoint<Status[], Status>({
      path: '/favourites',
      items: (list) => list,
      kind: status,
      types: ['statuses'],
      feed: true,
      pages: idPages,
      every: '6h',
      class: 'personal',
      deletes: 'all',
    }),
    following: endpoint<Account[], Account>({
      path: '/following',
      items: (list) => list,
      kind: contact,
      types: ['contacts'],
      every: '1d',
      class: 'core',
      deletes: 'all',
    }),
    messages: endpoint<Message[], Message>({
      path: '/messages',
      items: (list) => list,
      kind: message,
      types: ['messages'],
      pages: idPages,
      checkpoint: sinceId({ param: 'since_id', id: ({ id_str }) => id_str }),
      every: '10m',
      class: 'personal',
      scope: ['direct_messages'],
    }),
  },
})

function errorCodes(body: unknown): (number | undefined)[] {
  const { errors } = (body ?? {}) as { errors?: { code?: number }[] }
  return Array.isArray(errors) ? errors.map((error) => error?.code) : []
}
