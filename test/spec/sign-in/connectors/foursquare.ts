import { foursquare } from '#connectors/foursquare/connector.ts'

export default { ...foursquare, endpoints: {} }
