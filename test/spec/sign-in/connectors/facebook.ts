import { facebook } from '#connectors/facebook/connector.ts'

export default { ...facebook, endpoints: {} }
