import { oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'

/** A service that issues and revokes tokens, with nothing to sync. */
export default defineConnector({
  service: 'lender',
  title: 'Lender',
  docs: 'https://lender.test/docs',
  auth: oauth2({
    authorizeUrl: 'https://lender.test/authorize',
    tokenUrl: 'https://lender.test/token',
    revokeUrl: 'https://lender.test/revoke',
  }),
  api: { baseUrl: 'https://lender.test' },
  self: self<{ id: string }>('/me', ({ id }) => ({ id })),
  endpoints: {},
})
