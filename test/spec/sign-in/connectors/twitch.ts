import { twitch } from '#connectors/twitch/connector.ts'

export default { ...twitch, endpoints: {} }
