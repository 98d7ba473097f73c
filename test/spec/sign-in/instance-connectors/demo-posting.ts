import { demoSocial } from '#connectors/demo-social/connector.ts'

/** Demo Social as a service that posts the code to the callback. */
export default {
  ...demoSocial,
  service: 'demo-posting',
  title: 'Demo Posting',
  docs: 'https://tributary.test/lab',
  auth: { ...demoSocial.auth, responseMode: 'form_post' },
  endpoints: {},
}
