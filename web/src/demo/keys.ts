/** Begin the keys of queries, so that what an action changes can be named. */

/** Who is connected, from the demo's own server. */
export const SESSION = 'session'
/** What the simulated services do. */
export const CONTROLS = 'controls'
/** Profiles and their syncs. */
export const PROGRESS = 'progress'
/** Everything that shows items: live changes load these again. */
export const PANEL = 'panel'
