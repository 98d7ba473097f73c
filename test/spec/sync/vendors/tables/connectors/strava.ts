import { strava } from '#connectors/strava/connector.ts'

/** With a larger limit of its own: of the documented one, an app has ten reads at once and then waits. */
export default { ...strava, api: { ...strava.api, limits: { app: { calls: 6000, perS: 900 } } } }
