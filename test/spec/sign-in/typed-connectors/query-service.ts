import { self } from '#kit/auth/self.ts'
import { typed } from '#kit/auth/typed.ts'
import { defineConnector } from '#kit/connector/connector.ts'

/** A key in the query. */
export default defineConnector({
  service: 'query-service',
  title: 'Query Service',
  docs: 'https://service.test/docs',
  auth: typed({ fields: { key: { title: 'Key', secret: true } }, placement: { query: { key: '{key}' } } }),
  api: { baseUrl: `${process.env['TEST_TYPED_URL']}/by-query` },
  self: self('/me', (me: { id: string; name: string }) => me),
})
