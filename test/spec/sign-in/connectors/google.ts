import { google } from '#connectors/google/connector.ts'

export default { ...google, endpoints: {} }
