import { withings } from '#connectors/withings/connector.ts'

export default { ...withings, endpoints: {} }
