import { oauth1 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { type Connector, defineConnector } from '#kit/connector/connector.ts'

/** The strict OAuth 1.0a service of test/real. */
export const oauthlib: Connector = defineConnector({
  service: 'oauthlib',
  title: 'OAuth 1.0a, judged by oauthlib',
  docs: 'https://www.rfc-editor.org/rfc/rfc5849',
  auth: oauth1({
    requestTokenUrl: 'https://oauthlib.test/oauth/request_token',
    authorizeUrl: 'https://oauthlib.test/oauth/authorize',
    accessTokenUrl: 'https://oauthlib.test/oauth/access_token',
  }),
  api: { baseUrl: 'https://oauthlib.test' },
  self: self<{ id: unknown; name?: string }>('/me', ({ id, name }) => ({ id: String(id), name })),
})
