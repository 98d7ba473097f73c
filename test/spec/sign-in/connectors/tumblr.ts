import { tumblr } from '#connectors/tumblr/connector.ts'

export default { ...tumblr, endpoints: {} }
