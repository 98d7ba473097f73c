import { strava } from '#connectors/strava/connector.ts'

export default { ...strava, endpoints: {} }
