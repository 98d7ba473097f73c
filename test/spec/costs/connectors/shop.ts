import { apiKey } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { numberPages } from '#kit/endpoints/pages.ts'
import { kind } from '#kit/read/kind.ts'

/** A record of the scripted service. */
export interface Picture {
  id: string
  at: number
  text: string
}

const picture = kind<Picture>({
  name: 'picture',
  id: ({ id }) => id,
  at: ({ at }) => at,
  guid: ({ id }) => [`https://pictures.test/${id}`],
  map: { text: ({ text }) => text },
})

/** The service whose calls, pages and items are counted; what it answers is scripted. */
export default defineConnector({
  service: 'shop',
  title: 'Shop',
  docs: 'https://docs.test/',
  auth: apiKey({ in: 'header', scheme: 'Bearer' }),
  api: { baseUrl: 'https://shop.test' },
  self: self<{ id: string; name: string }>('/me', ({ id, name }) => ({ id, name })),
  endpoints: {
    pictures: endpoint<{ pictures: Picture[] }, Picture>({
      path: '/pictures',
      items: ({ pictures }) => pictures,
      kind: picture,
      types: ['photos'],
      pages: numberPages({ param: 'page' }),
      every: '1h',
      class: 'core',
    }),
  },
})
