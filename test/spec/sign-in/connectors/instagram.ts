import { instagram } from '#connectors/instagram/connector.ts'

export default { ...instagram, endpoints: {} }
