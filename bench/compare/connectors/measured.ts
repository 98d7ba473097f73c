import { type Entry, photo } from '#connectors/demo-social/kinds.ts'
import { apiKey } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { numberPages } from '#kit/endpoints/pages.ts'

/**
 * The service of the comparison: a complete list in numbered pages, and a limit that delays nothing. This file is copied into the other
 * checkout, so that each uses its own kit; it keeps to what the kit has had for long.
 */
export default defineConnector({
  service: 'measured',
  title: 'Measured',
  docs: 'https://docs.test/',
  auth: apiKey({ in: 'header', scheme: 'Bearer' }),
  api: { baseUrl: 'https://measured.test', limits: { app: { calls: 1_000_000, perS: 1 } } },
  self: self<{ id: string; name: string }>('/me', ({ id, name }) => ({ id, name })),
  endpoints: {
    list: endpoint<{ data: Entry[] }, Entry>({
      path: '/list',
      items: ({ data }) => data,
      kind: photo,
      types: ['photos'],
      pages: numberPages({ param: 'page', start: 0 }),
      every: '1d',
      class: 'core',
      deletes: 'all',
    }),
  },
})
