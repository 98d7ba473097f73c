import { apiKey } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { numberPages } from '#kit/endpoints/pages.ts'
import { kind } from '#kit/read/kind.ts'

interface Order {
  id: string
  at: number
  text: string
}

/** How a fault in a connector, parser or driver may affect its process. */
const HARM: Record<string, () => void> = {
  hang: () => {
    for (;;);
  },
  crash: () => {
    setImmediate(() => {
      throw new Error('nobody handles this')
    })
  },
  grow: () => {
    for (const kept: Buffer[] = []; ; ) kept.push(Buffer.alloc(1024 * 1024, 1))
  },
}

const order = kind<Order>({
  name: 'order',
  id: ({ id }) => id,
  at: ({ at }) => at,
  map: {
    text: ({ text }) => {
      HARM[text]?.()
      return text
    },
  },
})

const list = (path: string) =>
  endpoint<{ orders: Order[] }, Order>({
    path,
    items: ({ orders }) => orders,
    kind: order,
    types: ['statuses'],
    pages: numberPages({ param: 'page' }),
    every: '1h',
    class: 'core',
    deletes: 'none',
  })

/** A service whose records harm the process that reads them. */
export default defineConnector({
  service: 'shop',
  title: 'Shop',
  docs: 'https://docs.test/',
  auth: apiKey({ in: 'header', scheme: 'Bearer' }),
  api: { baseUrl: 'https://shop.test' },
  self: self<{ id: string; name: string }>('/me', ({ id, name }) => ({ id, name })),
  endpoints: {
    orders: list('/orders'),
    notes: list('/notes'),
  },
})
