import { createHash, timingSafeEqual } from 'node:crypto'
import type { IdentityDeps } from '#identity/deps.ts'
import { newTicket, ticketShard } from '#model/accounts/access-token.ts'
import { hasEnded } from '#model/apps/agents.ts'
import { ApiError } from '#model/errors.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { auditAccount } from '#store/audit.ts'
import {
  type AgentGrant,
  findGrantByAccess,
  findGrantOfToken,
  insertAgentTokens,
  lockGrantByCode,
  lockGrantByRefresh,
  type OpenAgentGrant,
  revokeAgentGrant,
  useAgentCode,
  useAgentToken,
} from '#store/identity/agent-grants.ts'
import type { AgentApp } from './request.ts'

/** How long an agent's access token is valid. */
export const AGENT_ACCESS_TTL_MS = 3_600_000
/** How long a refresh token is valid; each use replaces it by a new one. */
const AGENT_REFRESH_TTL_MS = 30 * 86_400_000

export interface IssuedTokens {
  accessToken: string
  refreshToken: string
  scopes: string[]
}

/** Exchanges an agent's code. A second use of the code revokes what the first one got. */
export async function exchangeAgentCode(
  deps: IdentityDeps,
  app: AgentApp,
  { code, redirectUri, verifier }: { code: string; redirectUri: string; verifier: string },
): Promise<IssuedTokens> {
  const shard = ticketShard('tra', code)
  const issued =
    shard === undefined
      ? undefined
      : await deps.database.transaction(async (tx) => {
          const found = await lockGrantByCode(tx, shard, deps.hasher.hash('agent_code', code))
          if (found === undefined || !isOf(app, found.grant)) return undefined
          if (found.isUsed) return revokeReused(deps, tx, found.grant, 'agent.code_replayed')
          const isRight =
            found.codeExpiresAt >= deps.clock.now() &&
            found.grant.redirectUri === redirectUri &&
            provesChallenge(verifier, found.challenge)
          if (!isRight) return undefined
          await useAgentCode(tx, found.grant, deps.clock.now())
          return issueTokens(deps, tx, found.grant)
        })
  if (issued === undefined) throw new ApiError('code_invalid', undefined, { param: 'code' })
  return issued
}

/** Exchanges a refresh token for new tokens. A second use means that somebody copied it, so it revokes the grant. */
export async function refreshAgentToken(
  deps: IdentityDeps,
  app: AgentApp,
  refreshToken: string,
): Promise<IssuedTokens> {
  const shard = ticketShard('trn', refreshToken)
  const hash = deps.hasher.hash('agent_refresh', refreshToken)
  const issued =
    shard === undefined
      ? undefined
      : await deps.database.transaction(async (tx) => {
          const found = await lockGrantByRefresh(tx, shard, hash)
          if (found === undefined || !isOf(app, found.grant)) return undefined
          if (found.isUsed) return revokeReused(deps, tx, found.grant, 'agent.refresh_replayed')
          if (found.tokenExpiresAt < deps.clock.now()) return undefined
          await useAgentToken(tx, shard, hash, deps.clock.now())
          return issueTokens(deps, tx, found.grant)
        })
  if (issued === undefined)
    throw new ApiError('code_invalid', 'The refresh token is wrong, used, revoked or expired.', {
      param: 'refresh_token',
    })
  return issued
}

async function issueTokens(deps: IdentityDeps, tx: Queries, grant: AgentGrant): Promise<IssuedTokens> {
  const accessToken = newTicket('trm', grant.shard)
  const refreshToken = newTicket('trn', grant.shard)
  const now = deps.clock.now()
  await insertAgentTokens(tx, grant, [
    { hash: deps.hasher.hash('agent_access', accessToken), kind: 'access', expiresAt: now + AGENT_ACCESS_TTL_MS },
    { hash: deps.hasher.hash('agent_refresh', refreshToken), kind: 'refresh', expiresAt: now + AGENT_REFRESH_TTL_MS },
  ])
  return { accessToken, refreshToken, scopes: grant.scopes }
}

async function revokeReused(deps: IdentityDeps, tx: Queries, grant: AgentGrant, action: string): Promise<undefined> {
  deps.log.warn('a code or refresh token of an agent was used twice; its grant is revoked', { app: grant.appId })
  await revokeWithAudit(deps, tx, grant, `app:${grant.appId}`, action)
}

export async function revokeWithAudit(
  deps: Pick<IdentityDeps, 'clock'>,
  tx: Queries,
  grant: Pick<AgentGrant, 'shard' | 'id' | 'appId' | 'accountId'>,
  actor: string,
  action: string,
): Promise<boolean> {
  const at = deps.clock.now()
  if (!(await revokeAgentGrant(tx, grant, at))) return false
  const account = { shard: grant.shard, id: grant.accountId, appId: grant.appId }
  await auditAccount(tx, account, { at, actor, action, detail: { grant: grant.id } })
  return true
}

/** RFC 7009: any token of the grant ends the whole grant. One that is unknown succeeds without effect. */
export async function revokeAgentToken(deps: IdentityDeps, token: string): Promise<void> {
  const kinds = [
    { shard: ticketShard('trm', token), purpose: 'agent_access' },
    { shard: ticketShard('trn', token), purpose: 'agent_refresh' },
  ]
  for (const { shard, purpose } of kinds) {
    if (shard === undefined) continue
    await deps.database.transaction(async (tx) => {
      const grant = await findGrantOfToken(tx, shard, deps.hasher.hash(purpose, token))
      if (grant !== undefined) await revokeWithAudit(deps, tx, grant, 'agent', 'agent.revoke')
    })
  }
}

/** The grant of an access token that was issued for `/mcp`; tokens of other kinds are unknown here. */
export async function grantOfAgent(
  { database, hasher, clock }: Pick<IdentityDeps, 'database' | 'hasher' | 'clock'>,
  token: string,
): Promise<OpenAgentGrant | undefined> {
  const shard = ticketShard('trm', token)
  if (shard === undefined) return undefined
  const grant = await findGrantByAccess(database, shard, hasher.hash('agent_access', token), clock.now())
  return grant === undefined || hasEnded(grant.agents, grant) ? undefined : grant
}

function isOf(app: AgentApp, grant: AgentGrant): boolean {
  return grant.appId === app.id && !hasEnded(app.agents, grant)
}

function provesChallenge(verifier: string, challenge: string): boolean {
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false
  const digest = createHash('sha256').update(verifier).digest('base64url')
  return timingSafeEqual(Buffer.from(digest), Buffer.from(challenge))
}
