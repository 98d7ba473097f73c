import { dropbox } from '#connectors/dropbox/connector.ts'

export default { ...dropbox, endpoints: {} }
