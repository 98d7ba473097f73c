import { type IdentityDeps, TEN_MINUTES_MS } from '#identity/deps.ts'
import { expireConsents } from '#identity/expire-consents.ts'
import type { Batch } from '#store/delete-in-batches.ts'
import { purgeAgentGrants } from '#store/identity/agent-grants.ts'
import { purgeApplied } from '#store/identity/applied-tokens.ts'
import { purgeConnectSessions } from '#store/identity/connect-sessions.ts'
import { purgeConnectionsSessions } from '#store/identity/connections-sessions.ts'
import { purgeUsedConsents } from '#store/identity/consents.ts'
import { purgeGrantRevocations } from '#store/identity/grant-revocations.ts'
import { purgeOpenSignIns } from '#store/identity/open-sign-ins.ts'
import { purgePending } from '#store/identity/pending.ts'
import { purgeReconnectLinks } from '#store/identity/reconnect-links.ts'
import { ENDED_TTL_MS } from './retention.ts'
import type { MaintenanceTask } from './run-tasks.ts'

type Step = (deps: IdentityDeps, nowMs: number) => Promise<Batch>

/** By name. Each deletes what is left of sign-ins that have ended. */
const STEPS = {
  pending_sign_ins: ({ database }, now) => purgePending(database, now),
  used_codes: ({ database }, now) => purgeUsedConsents(database, now - ENDED_TTL_MS),
  open_sign_ins: ({ database }, now) => purgeOpenSignIns(database, now),
  applied_tokens: ({ database }, now) => purgeApplied(database, now),
  agent_grants: ({ database }, now) => purgeAgentGrants(database, now - ENDED_TTL_MS),
  // A sign-in that began in time may still finish.
  reconnect_links: ({ database }, now) => purgeReconnectLinks(database, now - 2 * TEN_MINUTES_MS),
  connections_sessions: ({ database }, now) => purgeConnectionsSessions(database, now - ENDED_TTL_MS),
  // Until then the app can ask what became of them.
  connect_sessions: ({ database }, now) => purgeConnectSessions(database, now - ENDED_TTL_MS),
  // No sign-in that began before is left.
  grant_revocations: ({ database }, now) => purgeGrantRevocations(database, now - TEN_MINUTES_MS),
  unused_codes: (deps, now) => expireConsents(deps, now),
} as const satisfies Record<string, Step>

export const SIGN_IN_TASKS: readonly MaintenanceTask<IdentityDeps>[] = Object.entries<Step>(STEPS).map(
  ([name, step]) => ({ name, run: (deps) => step(deps, deps.clock.now()) }),
)
