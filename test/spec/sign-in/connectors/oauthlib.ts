import { oauthlib } from '../../../upstream/connectors/oauthlib.ts'

export default oauthlib
