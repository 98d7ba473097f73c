import { type IdentityDeps, TEN_MINUTES_MS } from '#identity/deps.ts'
import { newTicket } from '#model/accounts/access-token.ts'
import { sourceOf } from '#model/accounts/profile.ts'
import type { AgentScope } from '#model/apps/agents.ts'
import { ApiError } from '#model/errors.ts'
import { encodeBase32, newId, shardIn } from '#platform/crypto/ids.ts'
import { auditAccount } from '#store/audit.ts'
import { findAccountById, lockAccount } from '#store/identity/accounts.ts'
import { putAgentGrant, revokeGrantByCode } from '#store/identity/agent-grants.ts'
import { listProfiles } from '#store/identity/profiles.ts'
import { type AgentApp, AgentRefusal, type AgentReturn, findAgentPending } from './request.ts'

/** What the person is asked. */
export interface AgentPrompt {
  app: AgentApp
  to: AgentReturn
  ticket: string
  scopes: AgentScope[]
  /** The profiles of the account, so that the person sees whose it is. */
  profiles: { title: string; name: string }[]
  expiresAt: number
}

export async function readAgentPrompt(
  deps: IdentityDeps,
  ticket: string,
  browser: Buffer | undefined,
): Promise<AgentPrompt> {
  const { app, value, expiresAt } = await findAgentPending(deps, ticket, browser)
  const account = value.accountId === undefined ? undefined : await findAccountById(deps.database, value.accountId)
  if (account === undefined) throw new ApiError('session_expired')
  const profiles = await listProfiles(deps.database, account)
  return {
    app,
    to: { redirectUri: value.redirectUri, state: value.state, locale: value.locale },
    ticket,
    scopes: value.scopes,
    profiles: profiles.map(({ service, person, nativeId }) => ({
      title: deps.registry.find(service)?.title ?? service,
      name: person.name ?? person.handle ?? sourceOf({ person, nativeId }),
    })),
    expiresAt,
  }
}

/** The person allowed some of the scopes. Repeating it returns the same code, for the scopes that they chose last. */
export async function allowAgent(
  deps: IdentityDeps,
  ticket: string,
  allowed: readonly string[],
  browser: Buffer | undefined,
): Promise<{ to: AgentReturn; code: string }> {
  const { app, value } = await findAgentPending(deps, ticket, browser)
  const { accountId, redirectUri, state, codeChallenge: challenge } = value
  const scopes = value.scopes.filter((scope) => allowed.includes(scope))
  if (accountId === undefined) throw new ApiError('session_expired')
  if (scopes.length === 0) throw new AgentRefusal('access_denied', 'The person allowed nothing.')
  const shard = shardIn(accountId)
  const code = codeOf(deps, shard, ticket)
  const now = deps.clock.now()
  const expiresAt = now + TEN_MINUTES_MS
  await deps.database.transaction(async (tx) => {
    const account = await lockAccount(tx, shard, accountId)
    if (account === undefined) throw new ApiError('session_expired')
    const grant = { shard, id: newId(now), appId: app.id, accountId, scopes, redirectUri, createdAt: now, expiresAt }
    const changed = await putAgentGrant(tx, grant, {
      hash: deps.hasher.hash('agent_code', code),
      challenge,
      expiresAt,
    })
    if (changed === undefined) return
    const detail = { grant: changed, scopes }
    await auditAccount(tx, account, { at: now, actor: 'person', action: 'agent.allow', detail })
  })
  return { to: { redirectUri, state }, code }
}

/** The person declined, perhaps after they had allowed it. */
export async function declineAgent(
  deps: IdentityDeps,
  ticket: string,
  browser: Buffer | undefined,
): Promise<AgentReturn> {
  const { value } = await findAgentPending(deps, ticket, browser)
  const { accountId, redirectUri, state } = value
  if (accountId !== undefined) {
    const shard = shardIn(accountId)
    const hash = deps.hasher.hash('agent_code', codeOf(deps, shard, ticket))
    await revokeGrantByCode(deps.database, shard, hash, deps.clock.now())
  }
  return { redirectUri, state }
}

/** Derived from the ticket, so that it is always the same; without our key it cannot be computed. */
function codeOf({ hasher }: IdentityDeps, shard: number, ticket: string): string {
  return newTicket('tra', shard, encodeBase32(hasher.hash('agent_code_of_ticket', ticket)))
}
