import { apiKey, oauth1, oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { cursorPages, offsetPages } from '#kit/endpoints/pages.ts'
import { kind } from '#kit/read/kind.ts'

const common = { docs: 'https://plain.test/docs', self: self<{ id: string }>('/me', ({ id }) => ({ id })) }
const tokenUrl = 'https://plain.test/token'
const auth = oauth2({ authorizeUrl: 'https://plain.test/authorize', tokenUrl })
const many = { app: { calls: 1_000_000, perS: 1 } }

/** A minimal service: a sign-in, an address, nothing to sync. */
export const plain = defineConnector({
  ...common,
  service: 'plain',
  title: 'Plain',
  auth,
  api: { baseUrl: 'https://api.plain.test/v1', limits: many },
  aliases: ['simple'],
})

/** Its JSON has links that clients follow. */
export const linked = defineConnector({
  ...plain,
  service: 'linked',
  title: 'Linked',
  aliases: [],
  api: {
    ...plain.api,
    hosts: ['https://files.plain.test'],
    links: ['next', 'links.*', 'data.*.href', '@odata.nextLink', '*.link'],
  },
})

/** The token is in the query, every call has an extra parameter and header, and few calls are allowed. */
export const keyed = defineConnector({
  ...common,
  service: 'keyed',
  title: 'Keyed',
  auth: apiKey({ in: 'query', name: 'key' }),
  api: {
    baseUrl: 'https://api.keyed.test',
    headers: { 'X-Client': 'tributary', Accept: 'application/json' },
    query: { v: '2' },
    limits: many,
    rate: (headers) =>
      headers['x-left'] === undefined
        ? undefined
        : { remaining: Number(headers['x-left']), resetAtMs: Number(headers['x-reset']) },
  },
})

export const signed = defineConnector({
  ...common,
  service: 'signed',
  title: 'Signed',
  auth: oauth1({
    requestTokenUrl: 'https://signed.test/request',
    authorizeUrl: 'https://signed.test/authorize',
    accessTokenUrl: 'https://signed.test/access',
  }),
  api: { baseUrl: 'https://api.signed.test', limits: many },
})

interface Entry {
  id: string
}
const entry = kind<Entry>({ name: 'entry', id: ({ id }) => id, map: {} })
const rest = { kind: entry, types: [], every: '1d', class: 'personal' as const }

/** Three kinds of paging: cursors, offsets, and the `Link` header for paths without an endpoint. */
export const paged = defineConnector({
  ...common,
  service: 'paged',
  title: 'Paged',
  auth,
  api: { baseUrl: 'https://api.paged.test', limits: many },
  endpoints: {
    cursored: endpoint<{ data: Entry[]; next?: string }, Entry>({
      ...rest,
      path: '/people/{id}/entries',
      query: { fields: 'id' },
      items: ({ data }) => data,
      pages: cursorPages({ param: 'after', from: ({ next }: { next?: string }) => next }),
    }),
    fragile: endpoint<{ deep: { list: Entry[] } }, Entry>({
      ...rest,
      path: '/fragile',
      items: ({ deep }) => deep.list,
      pages: offsetPages({ param: 'offset', size: { param: 'limit', value: 3 } }),
    }),
    counted: endpoint<{ list: Entry[] }, Entry>({
      ...rest,
      path: '/counted',
      items: ({ list }) => list,
      pages: offsetPages({ param: 'offset', size: { param: 'limit', value: 3 } }),
    }),
  },
})

/** Allows one call per second. */
export const scarce = defineConnector({
  ...common,
  service: 'scarce',
  title: 'Scarce',
  auth,
  api: { baseUrl: 'https://api.scarce.test', limits: { app: { calls: 10, perS: 3600 } } },
})
