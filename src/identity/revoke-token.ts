import { setTimeout as sleep } from 'node:timers/promises'
import { findServiceAccess } from '#access/service-access.ts'
import type { Auth, Credential, RevocationScope } from '#kit/auth/auth.ts'
import { mayEndGrant } from '#kit/auth/granted.ts'
import { tenantSuffix, tenantsOf } from '#kit/auth/tenants.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { Tenant } from '#kit/read/facts.ts'
import type { RevocationResult } from '#model/accounts/revocation.ts'
import { newId } from '#platform/crypto/ids.ts'
import { SealError } from '#platform/crypto/sealing.ts'
import {
  type CredentialsInUse,
  credentialsInUse,
  MAX_COMPARED_CREDENTIALS,
} from '#store/identity/credentials-in-use.ts'
import { beginGrantRevocation, endGrantRevocation, grantRevocationSince } from '#store/identity/grant-revocations.ts'
import { awaitConnects, type ServiceUser } from '#store/identity/service-users.ts'
import { areTenantsInUse } from '#store/identity/tenants-in-use.ts'
import { revokeCredential } from '#upstream/renew-credential.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import { withDeadline } from '#upstream/request/send.ts'
import { signedInOf, tenantsIn } from './consent-value.ts'
import type { IdentityDeps } from './deps.ts'

/** A token of a service user that nothing here uses any more. */
export interface UnneededToken extends ServiceUser {
  /** Undefined if there was none, or if it cannot be opened. */
  credential: Credential | undefined
  /** What the person could choose from, where they chose none: nobody is named then. */
  tenants?: readonly Tenant[]
}

/** Limit: time for all calls of one revocation together; then the service counts as unreachable. */
const MAX_REVOCATION_MS = 30_000
/** Longer than a revocation may take. */
const ANNOUNCEMENT_TTL_MS = 45_000
const POLL_MS = 100

/**
 * Ends a token at its service, after the row that had it is deleted or replaced. While another profile or an unfinished
 * sign-in of the app has the same service user, nothing but this token is ended.
 */
export async function revokeUnneeded(deps: IdentityDeps, token: UnneededToken): Promise<RevocationResult> {
  const connector = deps.registry.find(token.service)
  if (connector === undefined || !mayEndGrant(connector.auth)) return revokeByUse(deps, token)
  const id = newId(deps.clock.now())
  await beginGrantRevocation(deps.database, token, id, deps.clock.now() + ANNOUNCEMENT_TTL_MS)
  try {
    // A connect of the service user that begins after this sees the announcement and waits.
    await deps.database.transaction((tx) => awaitConnects(tx, token, deps.clock.now()))
    return await revokeByUse(deps, token)
  } finally {
    await endGrantRevocation(deps.database, token, id, deps.clock.now())
  }
}

async function revokeByUse(deps: IdentityDeps, token: UnneededToken): Promise<RevocationResult> {
  const connector = deps.registry.find(token.service)
  const hasTenants = connector !== undefined && tenantsOf(connector.auth) !== undefined
  if (hasTenants && token.nativeId === '')
    return revokeAs(deps, token, (await mayShareGrant(deps, connector.auth, token)) ? 'token' : 'grant')
  const inUse = await credentialsInUse(deps.database, deps.keyring, token, deps.clock.now())
  const others = [...inUse.consents, ...inUse.profiles]
  // The person's profiles of other tenants have other ids, and their tokens are of the same grant.
  if (others.length === 0) return revokeAs(deps, token, hasTenants ? 'token' : 'grant')
  return revokeAs(deps, token, isShared(token.credential, inUse) ? 'nothing' : 'token')
}

/** Nobody is named before a tenant is chosen: anybody with one of the same tenants may be the same person, with the same grant. */
async function mayShareGrant(deps: IdentityDeps, auth: Auth, token: UnneededToken): Promise<boolean> {
  const now = deps.clock.now()
  const endingsOf = (tenants: readonly Tenant[]) => tenants.map(({ facts }) => tenantSuffix(auth, facts))
  const own = endingsOf(token.tenants ?? [])
  if (own.length === 0 || (await areTenantsInUse(deps.database, token, own, now))) return true
  const { consents: choices } = await credentialsInUse(deps.database, deps.keyring, token, now)
  if (choices.length >= MAX_COMPARED_CREDENTIALS) return true
  return choices.some(
    (value) => value === undefined || endingsOf(tenantsIn({ value })).some((each) => own.includes(each)),
  )
}

/**
 * Revokes without asking who else has the service user. A failure of the service, and a key that cannot be opened, are
 * logged and returned, not thrown.
 */
export async function revokeAs(
  deps: IdentityDeps,
  { appId, service, credential }: UnneededToken,
  scope: RevocationScope | 'nothing',
): Promise<RevocationResult> {
  const connector = deps.registry.find(service)
  try {
    const access = connector && (await findServiceAccess(deps, appId, connector, credential?.instance))
    if (access === undefined || credential === undefined) return 'unreachable'
    const bounded = withDeadline(deps.upstream, MAX_REVOCATION_MS)
    const result = await revokeCredential(bounded, { ...access, credential }, scope)
    if (result === 'refused') deps.log.warn('a service refused to end a token', { service, app: appId })
    return result
  } catch (error) {
    if (!(error instanceof UpstreamError) && !(error instanceof SealError)) throw error
    deps.log.warn('a token could not be ended at its service', { service, app: appId, error })
    return 'unreachable'
  }
}

/** An app may apply one token to several accounts. What cannot be opened or compared may be the same token. */
function isShared(credential: Credential | undefined, { consents, profiles }: CredentialsInUse): boolean {
  if (consents.length >= MAX_COMPARED_CREDENTIALS || profiles.length >= MAX_COMPARED_CREDENTIALS) return true
  const others = [
    ...consents.map((value) => (value === undefined ? undefined : signedInOf({ value })?.credential)),
    ...profiles.map((value) => (value === undefined ? undefined : (JSON.parse(value) as Credential))),
  ]
  return others.some((other) => other === undefined || isSameToken(credential, other))
}

export function isSameToken(one: Credential | undefined, other: Credential): boolean {
  if (one === undefined) return false
  // A name may have several passwords.
  const isSame = one.token === other.token && one.tokenSecret === other.tokenSecret
  return isSame || (one.refreshToken !== undefined && one.refreshToken === other.refreshToken)
}

/**
 * A token was replaced by a newer one of the same profile. Not awaited, because nobody waits for the service here; a
 * failure leaves the old token valid until it expires.
 */
export function revokeReplaced(deps: IdentityDeps, token: UnneededToken): void {
  revokeUnneeded(deps, token).catch((error: unknown) => {
    deps.log.warn('a replaced token could not be ended', { service: token.service, error })
  })
}

/**
 * Waits for revocations that end every token of a service user. True if there was one since the given time: a token that
 * was issued before may have ended.
 */
export async function awaitGrantRevocation(
  deps: IdentityDeps,
  connector: Connector,
  user: ServiceUser,
  sinceMs: number,
): Promise<boolean> {
  if (!mayEndGrant(connector.auth)) return false
  for (;;) {
    const revocation = await grantRevocationSince(deps.database, user, sinceMs, deps.clock.now())
    if (revocation !== 'running') return revocation === 'ended'
    await sleep(POLL_MS)
  }
}
