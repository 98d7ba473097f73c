import { self } from '#kit/auth/self.ts'
import { typed } from '#kit/auth/typed.ts'
import { defineConnector } from '#kit/connector/connector.ts'

/** Three fields that are exchanged for a token, which expires and can be refreshed. */
export default defineConnector({
  service: 'session-service',
  title: 'Session Service',
  docs: 'https://service.test/docs',
  auth: typed({
    fields: {
      workspace: { title: 'Workspace', pattern: /[a-z]+/ },
      user: { title: 'User' },
      pass: { title: 'Password', secret: true },
    },
    account: 'user',
    exchange: {
      url: `${process.env['TEST_TYPED_URL']}/session`,
      json: { user: '{user}', pass: '{pass}', workspace: '{workspace}' },
      token: 'data.token',
      expiresIn: 'data.ttl',
      refreshToken: 'data.refresh',
      refusedWith: [400],
    },
    refresh: {
      url: `${process.env['TEST_TYPED_URL']}/session/refresh`,
      form: { refresh: '{refresh_token}' },
      token: 'data.token',
      expiresIn: 'data.ttl',
      refreshToken: 'data.refresh',
    },
    placement: { headers: { authorization: 'Token {token}' } },
  }),
  api: { baseUrl: `${process.env['TEST_TYPED_URL']}/w/{workspace}` },
  self: self('/me', (me: { id: string; name: string }) => me),
})
