import { bluesky } from '#connectors/bluesky/connector.ts'
import { personalDataServer } from '#connectors/bluesky/identity.ts'

/** Bluesky with the identity directory of a network on this machine, which is named in `TEST_IDENTITY_DIRECTORY`. */
export default {
  ...bluesky,
  auth: {
    ...bluesky.auth,
    home: {
      document: (did: string) => `${process.env['TEST_IDENTITY_DIRECTORY']}/${did}`,
      read: personalDataServer,
      apiPath: '/xrpc',
    },
  },
}
