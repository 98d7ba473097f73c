import { basic } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'

/** A name and a password by HTTP Basic. */
export default defineConnector({
  service: 'password-service',
  title: 'Password Service',
  docs: 'https://service.test/docs',
  auth: basic(),
  api: { baseUrl: `${process.env['TEST_TYPED_URL']}/by-password` },
  self: self('/me', (me: { id: string; name: string }) => me),
})
