import { type Entry, photo, post } from '#connectors/demo-social/kinds.ts'
import { apiKey } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { since } from '#kit/endpoints/checkpoint.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { cursorPages } from '#kit/endpoints/pages.ts'
import { type Kind, timeOf } from '#kit/read/kind.ts'
import type { BaseType } from '#model/items/types.ts'

interface Listing {
  data: Entry[]
  paging: { next_cursor: string | null }
}

const pages = cursorPages({
  param: 'cursor',
  from: ({ paging }: Listing) => paging.next_cursor,
  size: { param: 'limit', value: 100 },
})

const list = (path: string, kind: Kind<Entry>, types: BaseType[], feed: boolean) =>
  endpoint<Listing, Entry>({
    path,
    items: ({ data }) => data,
    kind,
    types,
    feed,
    pages,
    checkpoint: since<Entry>({ param: 'updated_since', value: ({ created_at }) => timeOf(created_at) }),
    every: '30m',
    class: 'personal',
  })

/**
 * A service with three endpoints that are read from where the last check ended. It limits apps and people, as most services do;
 * the app's limit is so high that it delays nothing.
 */
export default defineConnector({
  service: 'steady',
  title: 'Steady',
  docs: 'https://docs.test/',
  auth: apiKey({ in: 'header', scheme: 'Bearer' }),
  api: {
    baseUrl: 'https://steady.test',
    limits: { app: { calls: 1_000_000, perS: 60 }, person: { calls: 5000, perS: 3600 } },
  },
  self: self<{ id: string; name: string }>('/me', ({ id, name }) => ({ id, name })),
  endpoints: {
    posts: list('/me/posts', post, ['statuses'], false),
    photos: list('/me/photos', photo, ['photos'], false),
    feed: list('/me/feed', post, ['statuses'], true),
  },
})
