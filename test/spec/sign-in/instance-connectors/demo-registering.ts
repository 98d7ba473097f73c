import { demoSocial } from '#connectors/demo-social/connector.ts'

/** Demo Social as a service with many instances that register apps by RFC 7591. */
export default {
  ...demoSocial,
  service: 'demo-registering',
  title: 'Demo Registering',
  docs: 'https://tributary.test/lab',
  ask: { host: { title: 'Server', example: 'demo.test', kind: 'host', qualifiesIds: true } },
  auth: {
    ...demoSocial.auth,
    authorizeUrl: 'https://{host}/oauth/authorize',
    tokenUrl: 'https://{host}/oauth/token',
    revokeUrl: 'https://{host}/oauth/revoke',
    issuer: 'https://{host}',
    registration: { kind: 'rfc7591', url: 'https://{host}/oauth/register' },
  },
  api: { ...demoSocial.api, baseUrl: 'https://{host}/api' },
  endpoints: {},
}
