import { x } from '#connectors/x/connector.ts'

export default { ...x, endpoints: {} }
