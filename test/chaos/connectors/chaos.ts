import { apiKey } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { since } from '#kit/endpoints/checkpoint.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { cursorPages, numberPages } from '#kit/endpoints/pages.ts'
import { kind } from '#kit/read/kind.ts'

interface Thing {
  id: string
  at: number
  text?: string
  seq?: number
  deleted?: boolean
}

const thing = kind<Thing>({
  name: 'thing',
  id: ({ id }) => id,
  at: ({ at }) => at,
  deleted: ({ deleted }) => deleted === true,
  map: { text: ({ text }) => text },
})

/** The service of the chaos runs: one endpoint lists everything each time, the other lists changes. */
export default defineConnector({
  service: 'chaos',
  title: 'Chaos',
  docs: 'https://docs.test/',
  auth: apiKey({ in: 'header', scheme: 'Bearer' }),
  api: {
    baseUrl: 'https://chaos.test',
    // Tells the service which process calls.
    headers: { 'x-worker': String(process.pid) },
    limits: {
      app: { calls: Number(process.env['CHAOS_CALLS'] ?? 600), perS: Number(process.env['CHAOS_WINDOW_S'] ?? 10) },
    },
  },
  self: self<{ id: string }>('/me', ({ id }) => ({ id })),
  endpoints: {
    list: endpoint<{ things: Thing[] }, Thing>({
      path: '/list',
      items: ({ things }) => things,
      kind: thing,
      types: ['statuses'],
      pages: numberPages({ param: 'page' }),
      every: '1h',
      class: 'core',
      deletes: 'all',
    }),
    changes: endpoint<{ things: Thing[]; next?: string }, Thing>({
      path: '/changes',
      items: ({ things }) => things,
      kind: thing,
      types: ['statuses'],
      pages: cursorPages({ param: 'since', from: (body: { next?: string }) => body.next }),
      checkpoint: since<Thing>({ param: 'since', value: ({ seq }) => seq, oldestFirst: true }),
      every: '1h',
      class: 'core',
    }),
  },
})
