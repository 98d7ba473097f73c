import { github } from '#connectors/github/connector.ts'

export default { ...github, endpoints: {} }
