import { apiKey } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { hubChallenge, signedBody } from '#kit/connector/hook.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { numberPages } from '#kit/endpoints/pages.ts'
import { kind } from '#kit/read/kind.ts'

interface Order {
  id: string
  at: number
  text: string
}

const order = kind<Order>({ name: 'order', id: ({ id }) => id, at: ({ at }) => at, map: { text: ({ text }) => text } })

/** The service of the tests that go over HTTP; what it answers is scripted. */
export default defineConnector({
  service: 'shop',
  title: 'Shop',
  docs: 'https://docs.test/',
  auth: apiKey({ in: 'header', scheme: 'Bearer' }),
  api: { baseUrl: 'https://shop.test' },
  self: self<{ id: string; name: string }>('/me', ({ id, name }) => ({ id, name })),
  hook: {
    handshake: hubChallenge,
    verify: signedBody({ header: 'x-shop-signature', algorithm: 'sha256', prefix: 'sha256=' }),
    people: (body) => (body as { people: string[] }).people,
  },
  endpoints: {
    orders: endpoint<{ orders: Order[] }, Order>({
      path: '/orders',
      items: ({ orders }) => orders,
      kind: order,
      types: ['statuses'],
      pages: numberPages({ param: 'page' }),
      every: '1h',
      class: 'core',
      deletes: 'all',
    }),
  },
})
