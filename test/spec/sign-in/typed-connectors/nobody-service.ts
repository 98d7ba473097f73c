import { apiKey } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'

/** A key that many people share: it says nothing about who has it. */
export default defineConnector({
  service: 'nobody-service',
  title: 'Nobody Service',
  docs: 'https://service.test/docs',
  auth: apiKey({ in: 'header', scheme: '', name: 'X-Key' }),
  vouchedBy: 'nobody',
  api: { baseUrl: `${process.env['TEST_TYPED_URL']}/by-key` },
  self: self('/me', () => ({ id: 'everybody' })),
})
