import type { Account } from '#model/accounts/account.ts'
import type { AgentSettings } from '#model/apps/agents.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { type Batch, deleteBatch, deleteSome } from '../delete-in-batches.ts'

/** What a person allowed an agent to do. */
export interface AgentGrant {
  /** The shard of the account. */
  shard: number
  id: string
  appId: string
  accountId: string
  scopes: string[]
  redirectUri: string
  createdAt: number
  expiresAt: number
}

export interface AgentCode {
  hash: Buffer
  challenge: string
  expiresAt: number
}

export type AgentTokenKind = 'access' | 'refresh'

export interface AgentToken {
  hash: Buffer
  kind: AgentTokenKind
  expiresAt: number
}

const columns = 'g.shard, g.id, g.app_id, g.account_id, g.scopes, g.redirect_uri, g.created_at, g.expires_at'
const insert = statement(
  'agent-grant-insert',
  `insert into agent_grant (shard, id, app_id, account_id, scopes, redirect_uri, code_hash, code_challenge, code_expires_at,
     created_at, expires_at)
   values ($shard, $id, $appId, $accountId, $scopes, $redirectUri, $codeHash, $codeChallenge, $codeExpiresAt, $createdAt,
     $expiresAt)
   on conflict (shard, code_hash) do update set scopes = excluded.scopes
   where agent_grant.revoked_at is null and agent_grant.scopes <> excluded.scopes
   returning id`,
)
const lockByCode = statement(
  'agent-grant-by-code',
  `select ${columns}, g.code_challenge, g.code_expires_at, g.code_used_at from agent_grant g
   where g.shard = $shard and g.code_hash = $hash and g.revoked_at is null for update`,
)
const markCodeUsed = statement(
  'agent-grant-use-code',
  'update agent_grant set code_used_at = $nowMs where shard = $shard and id = $id',
)
const extend = statement(
  'agent-grant-extend',
  'update agent_grant set expires_at = $expiresAt where shard = $shard and id = $id',
)
const insertToken = statement(
  'agent-token-insert',
  `insert into agent_token (shard, hash, grant_id, kind, expires_at)
   values ($shard, $hash, $grantId, $kind, $expiresAt)`,
)
const lockByRefresh = statement(
  'agent-grant-by-refresh',
  `select ${columns}, t.expires_at as token_expires_at, t.used_at from agent_token t
   join agent_grant g on g.shard = $shard and g.id = t.grant_id
   where t.shard = $shard and t.hash = $hash and t.kind = 'refresh' and g.revoked_at is null for update`,
)
const markTokenUsed = statement(
  'agent-token-use',
  'update agent_token set used_at = $nowMs where shard = $shard and hash = $hash',
)
// A token is valid only while its grant, the account and the app are, and while the app has agents turned on.
const findOpen = statement(
  'agent-grant-by-access',
  `select ${columns}, a.shards, a.created_at as account_created_at, app.agents, app.name as app_name from agent_token t
   join agent_grant g on g.shard = $shard and g.id = t.grant_id
   join account a on a.shard = $shard and a.id = g.account_id
   join app on app.id = a.app_id
   where t.shard = $shard and t.hash = $hash and t.kind = 'access' and t.expires_at > $nowMs
     and g.revoked_at is null and g.expires_at > $nowMs and a.merged_into is null and app.deleting_at is null
     and app.agents is not null`,
)
const findOfToken = statement(
  'agent-grant-of-token',
  `select ${columns} from agent_token t join agent_grant g on g.shard = $shard and g.id = t.grant_id
   where t.shard = $shard and t.hash = $hash and g.revoked_at is null`,
)
const list = statement(
  'agent-grant-list',
  `select ${columns} from agent_grant g where g.shard = $shard and g.account_id = $accountId and g.revoked_at is null
     and g.code_used_at is not null and g.expires_at > $nowMs order by g.created_at, g.id`,
)
const revoke = statement(
  'agent-grant-revoke',
  `update agent_grant set revoked_at = $nowMs
   where shard = $shard and id = $id and account_id = $accountId and revoked_at is null`,
)
const revokeByCode = statement(
  'agent-grant-revoke-code',
  'update agent_grant set revoked_at = $nowMs where shard = $shard and code_hash = $hash and revoked_at is null',
)
const removeTokensOf = statement(
  'agent-token-remove',
  `delete from agent_token where shard = $shard and grant_id in (
     select id from agent_grant where shard = $shard and account_id = $accountId)`,
)
const removeOf = statement(
  'agent-grant-remove',
  'delete from agent_grant where shard = $shard and account_id = $accountId',
)
const purgeGrants = statement('agent-grant-purge', deleteSome('agent_grant', 'shard, id', 'expires_at < $before'))
const purgeTokens = statement('agent-token-purge', deleteSome('agent_token', 'shard, hash', 'expires_at < $before'))

interface Row {
  shard: number
  id: string
  app_id: string
  account_id: string
  scopes: string[]
  redirect_uri: string
  created_at: number
  expires_at: number
}

/**
 * Returns the id of the grant, or undefined if nothing changed. When there is one with this code, the person went back and pressed the
 * button again: it gets what they chose last.
 */
export async function putAgentGrant(tx: Queries, grant: AgentGrant, code: AgentCode): Promise<string | undefined> {
  const { shard, id, appId, accountId, scopes, redirectUri, createdAt, expiresAt } = grant
  const values = { shard, id, appId, accountId, scopes, redirectUri, createdAt, expiresAt }
  const { hash: codeHash, challenge: codeChallenge, expiresAt: codeExpiresAt } = code
  const rows = await tx.rows<{ id: string }>(insert.with({ ...values, codeHash, codeChallenge, codeExpiresAt }))
  return rows[0]?.id
}

export interface LockedByCode {
  grant: AgentGrant
  challenge: string
  codeExpiresAt: number
  isUsed: boolean
}

export async function lockGrantByCode(tx: Queries, shard: number, hash: Buffer): Promise<LockedByCode | undefined> {
  const [row] = await tx.rows<Row & { code_challenge: string; code_expires_at: number; code_used_at: number | null }>(
    lockByCode.with({ shard, hash }),
  )
  if (row === undefined) return undefined
  const { code_challenge: challenge, code_expires_at: codeExpiresAt, code_used_at: usedAt } = row
  return { grant: toGrant(row), challenge, codeExpiresAt, isUsed: usedAt !== null }
}

export async function useAgentCode(tx: Queries, { shard, id }: AgentGrant, nowMs: number): Promise<void> {
  await tx.count(markCodeUsed.with({ shard, id, nowMs }))
}

export async function lockGrantByRefresh(
  tx: Queries,
  shard: number,
  hash: Buffer,
): Promise<{ grant: AgentGrant; tokenExpiresAt: number; isUsed: boolean } | undefined> {
  const [row] = await tx.rows<Row & { token_expires_at: number; used_at: number | null }>(
    lockByRefresh.with({ shard, hash }),
  )
  return row && { grant: toGrant(row), tokenExpiresAt: row.token_expires_at, isUsed: row.used_at !== null }
}

export async function useAgentToken(tx: Queries, shard: number, hash: Buffer, nowMs: number): Promise<void> {
  await tx.count(markTokenUsed.with({ shard, hash, nowMs }))
}

/** Adds tokens to a grant, which then ends with the last of them. */
export async function insertAgentTokens(tx: Queries, { shard, id }: AgentGrant, tokens: AgentToken[]): Promise<void> {
  for (const { hash, kind, expiresAt } of tokens)
    await tx.count(insertToken.with({ shard, hash, grantId: id, kind, expiresAt }))
  await tx.count(extend.with({ shard, id, expiresAt: Math.max(...tokens.map(({ expiresAt }) => expiresAt)) }))
}

/** A grant with its account and the settings of the app, all of them valid. */
export interface OpenAgentGrant extends AgentGrant {
  account: Account
  agents: AgentSettings
  appName: string
}

export async function findGrantByAccess(
  queries: Queries,
  shard: number,
  hash: Buffer,
  nowMs: number,
): Promise<OpenAgentGrant | undefined> {
  const [row] = await queries.rows<
    Row & { shards: number[]; account_created_at: number; agents: AgentSettings; app_name: string }
  >(findOpen.with({ shard, hash, nowMs }))
  if (row === undefined) return undefined
  const grant = toGrant(row)
  const { accountId: id, appId } = grant
  const account = { shard, id, appId, shards: row.shards, createdAt: row.account_created_at }
  return { ...grant, account, agents: row.agents, appName: row.app_name }
}

/** Of an access or refresh token, also of one that was used or has expired. */
export async function findGrantOfToken(queries: Queries, shard: number, hash: Buffer): Promise<AgentGrant | undefined> {
  const [row] = await queries.rows<Row>(findOfToken.with({ shard, hash }))
  return row && toGrant(row)
}

export async function listAgentGrants(
  queries: Queries,
  { shard, id }: Pick<Account, 'shard' | 'id'>,
  nowMs: number,
): Promise<AgentGrant[]> {
  return (await queries.rows<Row>(list.with({ shard, accountId: id, nowMs }))).map(toGrant)
}

export async function revokeAgentGrant(
  tx: Queries,
  { shard, id, accountId }: Pick<AgentGrant, 'shard' | 'id' | 'accountId'>,
  nowMs: number,
): Promise<boolean> {
  return (await tx.count(revoke.with({ shard, id, accountId, nowMs }))) > 0
}

export async function revokeGrantByCode(tx: Queries, shard: number, hash: Buffer, nowMs: number): Promise<boolean> {
  return (await tx.count(revokeByCode.with({ shard, hash, nowMs }))) > 0
}

/** Deletes all grants of an account with their tokens. */
export async function removeAgentGrants(tx: Queries, { shard, id }: Pick<Account, 'shard' | 'id'>): Promise<void> {
  await tx.count(removeTokensOf.with({ shard, accountId: id }))
  await tx.count(removeOf.with({ shard, accountId: id }))
}

export async function purgeAgentGrants(queries: Queries, before: number): Promise<Batch> {
  const tokens = await deleteBatch(queries, purgeTokens.with({ before }))
  const grants = await deleteBatch(queries, purgeGrants.with({ before }))
  return { done: tokens.done + grants.done, more: tokens.more || grants.more }
}

function toGrant(row: Row): AgentGrant {
  return {
    shard: row.shard,
    id: row.id,
    appId: row.app_id,
    accountId: row.account_id,
    scopes: row.scopes,
    redirectUri: row.redirect_uri,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}
