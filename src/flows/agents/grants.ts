import type { IdentityDeps } from '#identity/deps.ts'
import type { Account } from '#model/accounts/account.ts'
import { ApiError } from '#model/errors.ts'
import { auditAccount } from '#store/audit.ts'
import { listAgentGrants, type OpenAgentGrant } from '#store/identity/agent-grants.ts'
import { takeTokens } from '#store/sync/rate-limits.ts'
import { revokeWithAudit } from './tokens.ts'

/** What a person allowed, as the API shows it. */
export async function presentAgentGrants(
  { database, clock }: Pick<IdentityDeps, 'database' | 'clock'>,
  account: Account,
): Promise<{ id: string; scopes: string[]; redirect_uri: string; created_at: number; expires_at: number }[]> {
  return (await listAgentGrants(database, account, clock.now())).map((grant) => ({
    id: grant.id,
    scopes: grant.scopes,
    redirect_uri: grant.redirectUri,
    created_at: grant.createdAt,
    expires_at: grant.expiresAt,
  }))
}

/** Ends the access of an agent at once. */
export async function revokeGrantOf(
  deps: IdentityDeps,
  account: Account,
  id: string,
  actor = `account:${account.id}`,
): Promise<void> {
  const grant = { shard: account.shard, id, appId: account.appId, accountId: account.id }
  const isRevoked = await deps.database.transaction((tx) => revokeWithAudit(deps, tx, grant, actor, 'agent.revoke'))
  if (!isRevoked) throw new ApiError('not_found', `There is no agent ${id}.`)
}

/** Limit (agents): tool calls that an agent may make in a burst; then it must wait for the bucket to refill. */
export const MAX_AGENT_BURST = 60
/** Limit (agents): writes that an agent may make in a burst; then it must wait for the bucket to refill. */
export const MAX_AGENT_WRITE_BURST = 10
const CALLS_PER_MS = 60 / 60_000
const WRITES_PER_MS = 10 / 60_000

/** Takes a call from the bucket of the grant, which all processes share. */
export async function limitAgent(
  { database, clock }: Pick<IdentityDeps, 'database' | 'clock'>,
  { appId, id }: OpenAgentGrant,
  kind: 'read' | 'write',
): Promise<void> {
  const size =
    kind === 'write'
      ? { burst: MAX_AGENT_WRITE_BURST, perMs: WRITES_PER_MS }
      : { burst: MAX_AGENT_BURST, perMs: CALLS_PER_MS }
  const now = clock.now()
  const wanted = { wanted: 1, least: 1, reserved: 0 }
  const { granted, retryAtMs } = await takeTokens(
    database,
    { bucket: `${appId} agent ${kind} ${id}`, size, ...wanted },
    now,
  )
  if (granted > 0) return
  const retryAfterS = Math.max(1, Math.ceil((retryAtMs - now) / 1000))
  throw new ApiError('agent_limited', undefined, { retryAfterS })
}

/** Says who called which tool, and nothing of what was asked or returned. */
export async function auditAgentCall(
  { database, clock }: Pick<IdentityDeps, 'database' | 'clock'>,
  { account, id }: OpenAgentGrant,
  tool: string,
  outcome: 'ok' | 'failed' | 'refused',
): Promise<void> {
  const event = { at: clock.now(), actor: `agent:${id}`, action: 'agent.call', detail: { tool, outcome } }
  await auditAccount(database, account, event)
}
