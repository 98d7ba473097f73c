import { strava } from '#connectors/strava/connector.ts'

/** Strava allows an app so few calls that a test of all services would wait for minutes. */
export default { ...strava, api: { ...strava.api, limits: { app: { calls: 10_000, perS: 900 } } } }
