import { oidc } from '../../../upstream/connectors/oidc.ts'

export default oidc
