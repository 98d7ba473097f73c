import { demoSocial } from '#connectors/demo-social/connector.ts'

/** Demo Social as a service that knows apps by the address of their client document. */
export default {
  ...demoSocial,
  service: 'demo-documented',
  title: 'Demo Documented',
  docs: 'https://tributary.test/lab',
  auth: { ...demoSocial.auth, tokenAuth: 'private_key_jwt', registration: { kind: 'document' } },
  endpoints: {},
}
