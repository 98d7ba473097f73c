import { self } from '#kit/auth/self.ts'
import { typed } from '#kit/auth/typed.ts'
import { defineConnector } from '#kit/connector/connector.ts'

/** A name and a password at a server that the person names. */
export default defineConnector({
  service: 'server-service',
  title: 'Server Service',
  docs: 'https://service.test/docs',
  auth: typed({
    fields: {
      server: { title: 'Server', format: 'address' },
      name: { title: 'User name' },
      password: { title: 'Password', secret: true },
    },
    account: 'name',
    placement: { basic: { name: '{name}', password: '{password}' } },
  }),
  api: { baseUrl: '{server}/by-password' },
  self: self('/me', (me: { id: string; name: string }) => me),
})
