import type { SignedIn } from '#kit/auth/auth.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { serviceReaderVersion } from '#kit/connector/reader-version.ts'
import { idInAccount, personOf } from '#kit/connector/source.ts'
import { identityRuleOf } from '#kit/connector/who-vouches.ts'
import { newAccessToken } from '#model/accounts/access-token.ts'
import type { Account } from '#model/accounts/account.ts'
import { type Profile, sourceOf } from '#model/accounts/profile.ts'
import { ApiError } from '#model/errors.ts'
import { newShardId, shardOf } from '#platform/crypto/ids.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { keepAppFromDeletion } from '#store/apps/deletions.ts'
import { auditAccount } from '#store/audit.ts'
import { insertAccessToken, type NewAccessToken } from '#store/identity/access-tokens.ts'
import { findAccountById, insertAccount, lockAccount, setAccountShards } from '#store/identity/accounts.ts'
import { putCredential } from '#store/identity/credentials.ts'
import { insertProfile, listProfiles, reconnectProfile } from '#store/identity/profiles.ts'
import {
  claimServiceUser,
  findServiceUser,
  insertServiceUser,
  pointServiceUser,
  type ServiceUser,
} from '#store/identity/service-users.ts'
import { openProfileCursors } from '#store/push/cursors.ts'
import { queueProfileEvent } from '#store/push/events.ts'
import { scheduleEndpoints, scheduleProfile } from '#store/sync/schedule.ts'
import { attachUpload } from '#store/sync/uploads.ts'
import type { IdentityDeps } from './deps.ts'
import { credentialOf } from './disconnect.ts'
import { isSameToken, type UnneededToken } from './revoke-token.ts'
import { uploadOf } from './upload-credential.ts'

export interface ConnectedProfile {
  account: Account
  profile: Profile
  token: string
  tokenHash: Buffer
  issuedAt: number
  /** The credential that this one replaced; the caller ends it at the service after the transaction. */
  replaced: UnneededToken | undefined
}

export interface ConnectInput {
  appId: string
  service: string
  signedIn: SignedIn
  /** For the audit log. */
  actor: string
  /**
   * `given`: this account, or fail. `found`: the account that connected this service user last, where its id may find one;
   * otherwise a new one. `new`: always a new one.
   */
  account: { how: 'given'; id: string } | { how: 'found' } | { how: 'new' }
  /** Shard of a new account. */
  shard: number
  /** Secret part of the access token, where a repeated confirmation must return the same token. */
  tokenSecret?: string | undefined
}

/**
 * Writes account, profile, credential, access token and audit entry in one transaction. Undefined if the given account
 * does not exist.
 */
export async function connectProfile(
  deps: IdentityDeps,
  tx: Queries,
  input: ConnectInput,
): Promise<ConnectedProfile | undefined> {
  if (!(await keepAppFromDeletion(tx, input.appId))) throw new ApiError('client_unknown')
  const account = await lockTargetAccount(deps, tx, input)
  if (account === undefined) return undefined
  const { profile, replaced } = await putProfile(deps, tx, account, input)
  const now = deps.clock.now()
  const token = newAccessToken(account.shard, now, input.tokenSecret)
  const tokenHash = deps.hasher.hash('access_token', token)
  await storeToken(tx, account, { hash: tokenHash, profileId: profile.id, createdAt: now })
  await auditAccount(tx, account, {
    at: now,
    actor: input.actor,
    action: input.account.how === 'given' ? 'profile.link' : 'profile.connect',
    detail: { service: profile.service, native_id: profile.nativeId, scope: profile.scope },
  })
  return { account, profile, token, tokenHash, issuedAt: now, replaced }
}

/** A further access token for the account of a profile, which stays as it is. Undefined if the account is gone. */
export async function issueTokenFor(
  deps: IdentityDeps,
  tx: Queries,
  profile: Profile,
): Promise<ConnectedProfile | undefined> {
  const account = await lockFirst(tx, [profile.accountId])
  if (account === undefined) return undefined
  const now = deps.clock.now()
  const token = newAccessToken(account.shard, now)
  const tokenHash = deps.hasher.hash('access_token', token)
  await storeToken(tx, account, { hash: tokenHash, profileId: profile.id, createdAt: now })
  return { account, profile, token, tokenHash, issuedAt: now, replaced: undefined }
}

/** What ended because the account has too many tokens is in the audit log. */
async function storeToken(tx: Queries, account: Account, token: NewAccessToken): Promise<void> {
  const ended = await insertAccessToken(tx, account, token)
  if (ended === 0) return
  const detail = { reason: 'too_many_tokens', tokens: ended }
  await auditAccount(tx, account, { at: token.createdAt, actor: 'limit', action: 'token.revoke', detail })
}

async function lockTargetAccount(deps: IdentityDeps, tx: Queries, input: ConnectInput): Promise<Account | undefined> {
  const { account: choice, appId, service, signedIn, shard } = input
  const { findsAccount } = identityRuleOf(connectorOf(deps, service))
  const now = deps.clock.now()
  const user = { appId, service, nativeId: signedIn.self.id }
  if (choice.how === 'given') {
    const account = await lockFirst(tx, [choice.id])
    if (account?.appId !== appId) return undefined
    if (findsAccount) await pointServiceUser(tx, user, account.id, now)
    return account
  }
  const fresh: Account = { shard, id: newShardId(shard, now), appId, shards: [shard], createdAt: now }
  const known = choice.how === 'found' && findsAccount ? await findAccountOf(tx, user, fresh.id, now) : undefined
  if (known === undefined) await insertAccount(tx, fresh)
  const account = known ?? (await lockAccount(tx, fresh.shard, fresh.id))
  if (findsAccount) await pointServiceUser(tx, user, known?.id ?? fresh.id, now)
  return account
}

/** Limit: attempts to find the account of a service user whose accounts change at the same time. */
const FIND_ATTEMPTS = 5

/**
 * The account that connected this service user last, locked. The account is locked before the service user's row, the order
 * used everywhere, so that concurrent sign-ins of one person do not deadlock.
 */
async function findAccountOf(
  tx: Queries,
  user: ServiceUser,
  freshId: string,
  now: number,
): Promise<Account | undefined> {
  for (let attempt = 0; attempt < FIND_ATTEMPTS; attempt += 1) {
    const known = await lockFirst(tx, await findServiceUser(tx, user))
    if (known !== undefined) return known
    if (await insertServiceUser(tx, user, freshId, now)) return undefined
    // The row names only accounts that do not exist: its lock makes concurrent sign-ins agree on one new account.
    const exists = async (id: string) => (await findAccountById(tx, id)) !== undefined
    if (await claimServiceUser(tx, user, { accountId: freshId, nowMs: now }, exists)) return undefined
    // Another sign-in inserted it first, or gave it an account meanwhile.
  }
  throw new ApiError('internal', undefined, { cause: new Error('the accounts of a service user keep changing') })
}

async function lockFirst(tx: Queries, ids: string[]): Promise<Account | undefined> {
  for (const id of ids) {
    const shard = shardOf(id)
    const account = shard === undefined ? undefined : await lockAccount(tx, shard, id)
    if (account !== undefined) return account
  }
  return undefined
}

/**
 * Reconnects a profile: `again`, or the account's profile of the service user or the source. Otherwise inserts a new one in the
 * account's shard.
 */
export async function putProfile(
  deps: IdentityDeps,
  tx: Queries,
  account: Account,
  { service, signedIn, again }: Pick<ConnectInput, 'service' | 'signedIn'> & { again?: Profile },
): Promise<{ profile: Profile; replaced: UnneededToken | undefined }> {
  const now = deps.clock.now()
  const connector = connectorOf(deps, service)
  const { id } = signedIn.self
  const nativeId = identityRuleOf(connector).validAt === 'account' ? idInAccount(connector, account.id, id) : id
  const existing = await listProfiles(tx, account)
  const known = again ?? knownProfile(existing, { service, nativeId, source: id })
  const profile: Profile = {
    shard: known?.shard ?? account.shard,
    id: known?.id ?? newShardId(account.shard, now),
    accountId: account.id,
    appId: account.appId,
    service,
    nativeId: known?.nativeId ?? nativeId,
    state: hasEndpoints(connector) && known?.state !== 'active' ? 'connecting' : 'active',
    pausedAt: known?.pausedAt,
    stateUntil: undefined,
    error: undefined,
    scope: signedIn.credential.scope,
    person: personOf(connector, signedIn.self),
    data: signedIn.raw,
    // Later than every other one, also when processes disagree about the time: `:service` means the one connected last.
    connectedAt: Math.max(now, ...existing.map(({ connectedAt }) => connectedAt + 1)),
    updatedAt: known?.data === signedIn.raw ? known.updatedAt : now,
    syncedAt: known?.syncedAt,
  }
  if (known === undefined) await insertProfile(tx, profile)
  else profile.state = await reconnectProfile(tx, profile)
  if (!account.shards.includes(profile.shard)) await setAccountShards(tx, account, [...account.shards, profile.shard])
  const key = { shard: profile.shard, profileId: profile.id }
  const described = connector.endpoints
  const endpoints = Object.entries(described).map(([name, { everyMs }]) => ({ name, everyMs }))
  const readerVersion = serviceReaderVersion(described)
  const uploaded = uploadOf(signedIn.credential)
  // Expired, or the profile is in another shard than when the file was uploaded.
  if (uploaded !== undefined && !(uploaded.shard === key.shard && (await attachUpload(tx, uploaded, key))))
    throw new ApiError('code_invalid', 'The uploaded file has expired. Begin again.')
  // Signing in again does not resume a paused profile.
  if (profile.state === 'paused') await scheduleEndpoints(tx, key, endpoints, now)
  else await scheduleProfile(tx, { ...key, appId: account.appId, service, readerVersion }, endpoints, now)
  await openProfileCursors(tx, key, account.appId, now)
  // Signing in to a profile that works is not an event.
  if (known === undefined || known.state === 'needs_auth')
    await queueProfileEvent(tx, profile, 'profile.connected', now, { reconnected: known !== undefined })
  // The token of a profile that needed a new sign-in has ended already.
  const old = known === undefined || known.state === 'needs_auth' ? undefined : await credentialOf(deps, tx, key)
  await putCredential(tx, deps.keyring, key, JSON.stringify(signedIn.credential), signedIn.credential.expiresAt, now)
  const isReplaced = old !== undefined && !isSameToken(old, signedIn.credential)
  return { profile, replaced: isReplaced ? { ...profile, credential: old } : undefined }
}

/** A profile without endpoints has nothing to sync and is active at once. */
function hasEndpoints({ endpoints }: Connector): boolean {
  return Object.keys(endpoints).length > 0
}

/** After a merge an account may have several profiles of one source: it is always the first of them that is connected again. */
function knownProfile(
  profiles: readonly Profile[],
  { service, nativeId, source }: { service: string; nativeId: string; source: string },
): Profile | undefined {
  const own = profiles.filter((each) => each.service === service)
  const found = own.filter((each) => each.nativeId === nativeId || sourceOf(each) === source)
  return found.toSorted((a, b) => (a.id < b.id ? -1 : 1))[0]
}

function connectorOf({ registry }: IdentityDeps, service: string): Connector {
  const connector = registry.find(service)
  if (connector === undefined) throw new ApiError('service_unknown')
  return connector
}
