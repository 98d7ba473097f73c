import { apiKey } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'

/** A key in a header. */
export default defineConnector({
  service: 'key-service',
  title: 'Key Service',
  docs: 'https://service.test/docs',
  auth: apiKey(
    { in: 'header', scheme: '', name: 'X-Key' },
    { title: 'Secret key', pattern: /sk_\w+/, help: 'https://service.test/keys', hint: 'It begins with sk_.' },
  ),
  api: { baseUrl: `${process.env['TEST_TYPED_URL']}/by-key` },
  self: self('/me', (me: { id: string; name: string }) => me),
})
