import { mastodon } from '#connectors/mastodon/connector.ts'

export default { ...mastodon, endpoints: {} }
