import { oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { type Connector, defineConnector } from '#kit/connector/connector.ts'

interface Claims {
  sub: string
  name?: string
  email?: string
  picture?: string
}

/** Any OpenID Connect server, by discovery. */
export const oidc: Connector = defineConnector({
  service: 'oidc',
  title: 'OpenID Connect',
  docs: 'https://openid.net/specs/openid-connect-core-1_0.html',
  auth: oauth2({
    discover: { resource: false },
    tokenAuth: 'basic',
    scope: { default: ['openid', 'profile', 'email'] },
  }),
  api: { baseUrl: 'https://oidc.test' },
  self: self<Claims>('/me', ({ sub, name, email, picture }) => ({ id: sub, name, email, photo: picture })),
})
