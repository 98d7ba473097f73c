import { oura } from '#connectors/oura/connector.ts'

export default { ...oura, endpoints: {} }
