import { bluesky } from '#connectors/bluesky/connector.ts'
import { handles, personalDataServer } from '#connectors/bluesky/identity.ts'

/** The identity directory of the network that a test started, instead of the public one. */
const document = (did: string) => `${process.env['TEST_PLC_URL']}/${did}`

export default {
  ...bluesky,
  auth: { ...bluesky.auth, home: { document, read: personalDataServer, apiPath: '/xrpc', handle: handles } },
  endpoints: {},
}
