import { oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { rateFrom } from '#kit/connector/rate.ts'
import { since, untilKnown } from '#kit/endpoints/checkpoint.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { cursorPages } from '#kit/endpoints/pages.ts'
import { timeOf } from '#kit/read/kind.ts'
import { changedAt, contact, type Entry, type Friend, photo, post } from './kinds.ts'

interface Person {
  id: string
  username: string
  name: string
  url: string
  avatar_url: string
  bio?: string
  location?: { city?: string }
  email?: string
}

interface Listing<Raw> {
  data: Raw[]
  /** Absent in responses to `updated_since`, which have one page. */
  paging?: { next_cursor: string | null }
}

// A page may be empty; only a null cursor is the end.
const pages = cursorPages({
  param: 'cursor',
  from: (body: Listing<unknown>) => body.paging?.next_cursor,
  size: { param: 'limit', value: 50 },
})
// Deletions are listed as records among the changes, so no full listing is necessary.
const changes = since<Entry>({
  param: 'updated_since',
  value: changedAt,
  overlap: 60_000,
  format: (ms) => new Date(ms).toISOString(),
})
const DAY_MS = 86_400_000

export const demoSocial = defineConnector({
  service: 'demo-social',
  title: 'Demo Social',
  docs: 'lab/services/demo-social/README.md',
  category: 'people',
  auth: oauth2({
    authorizeUrl: 'https://demo-social.test/oauth/authorize',
    tokenUrl: 'https://demo-social.test/oauth/token',
    revokeUrl: 'https://demo-social.test/oauth/revoke',
    revokeEnds: 'token',
    issuer: 'https://demo-social.test',
    scope: { default: ['profile', 'email', 'posts.read', 'photos.read', 'friends.read', 'feed.read'] },
    forceLogin: { parameters: { prompt: 'login' } },
    verifyApp: {
      url: 'https://demo-social.test/oauth/introspect',
      method: 'POST',
      parameters: { client_id: '{key}', client_secret: '{secret}', token: '{token}' },
      read: (body) => {
        const { active, client_id } = body as { active: boolean; client_id?: string }
        return active ? client_id : undefined
      },
    },
  }),
  api: {
    baseUrl: 'https://demo-social.test/api',
    limits: { person: { calls: 5000, perS: 3600 } },
    rate: rateFrom({ remaining: 'x-ratelimit-remaining', reset: 'x-ratelimit-reset', of: 'person' }),
  },
  self: self<Person>('/me', (person) => ({
    id: person.id,
    name: person.name,
    handle: person.username,
    email: person.email,
    url: person.url,
    photo: person.avatar_url,
    description: person.bio,
    location: person.location?.city,
  })),
  endpoints: {
    posts: endpoint<Listing<Entry>, Entry>({
      path: '/me/posts',
      items: ({ data }) => data,
      kind: post,
      types: ['statuses'],
      pages,
      checkpoint: changes,
      every: '15m',
      class: 'personal',
      scope: ['posts.read'],
    }),
    photos: endpoint<Listing<Entry>, Entry>({
      path: '/me/photos',
      items: ({ data }) => data,
      kind: photo,
      types: ['photos'],
      pages,
      checkpoint: changes,
      every: '1h',
      class: 'personal',
      scope: ['photos.read'],
    }),
    friends: endpoint<Listing<Friend>, Friend>({
      path: '/me/friends',
      items: ({ data }) => data,
      kind: contact,
      types: ['contacts'],
      pages,
      every: '1d',
      class: 'core',
      deletes: 'all',
      scope: ['friends.read'],
    }),
    // Edits and deletions of others are not reported, so the newest days are read again.
    feed: endpoint<Listing<Entry>, Entry>({
      path: '/me/feed',
      items: ({ data }) => data,
      kind: post,
      types: ['statuses'],
      feed: true,
      pages,
      checkpoint: untilKnown({ value: ({ created_at }) => timeOf(created_at), overlap: 3 * DAY_MS }),
      every: '10m',
      class: 'social',
      deletes: 'window',
      scope: ['feed.read'],
    }),
  },
})
