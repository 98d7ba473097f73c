import { self } from '#kit/auth/self.ts'
import { noAuth } from '#kit/auth/typed.ts'
import { defineConnector } from '#kit/connector/connector.ts'

/** A public document at an address that the person or the app names. */
export default defineConnector({
  service: 'feed-service',
  title: 'Feed Service',
  docs: 'https://service.test/docs',
  auth: noAuth({
    fields: { feed: { title: 'Feed', format: 'address' } },
    id: ({ feed = '' }) => feed,
  }),
  api: { baseUrl: '{feed}' },
  self: self('', (text: string) => ({ id: '', name: text.replace('title: ', '') })),
})
