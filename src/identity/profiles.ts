import { freshCredential } from '#access/fresh-credential.ts'
import { markNeedsAuth } from '#access/needs-auth.ts'
import { serviceAccessOf } from '#access/service-access.ts'
import type { Credential } from '#kit/auth/auth.ts'
import type { Account } from '#model/accounts/account.ts'
import type { Profile, ProfileState } from '#model/accounts/profile.ts'
import { profileName } from '#model/accounts/profile-name.ts'
import { reconnectAddress } from '#model/accounts/reconnect-address.ts'
import { encodePart } from '#model/input/percent-encoding.ts'
import { SealError } from '#platform/crypto/sealing.ts'
import { requireAccountById } from '#store/identity/accounts.ts'
import { findCredential } from '#store/identity/credentials.ts'
import { listProfiles } from '#store/identity/profiles.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import type { IdentityDeps } from './deps.ts'

export interface ProfilesOptions {
  /** Includes the services' tokens. Only for callers that proved the app's secret. */
  auth: boolean
  full: boolean
  /** Lists only this profile, for `profile=last`. */
  only?: Profile | undefined
}

/** `{"id": account, "<service>": [native ids]}`; with `auth` or `full`, each entry is an object. */
export async function presentProfiles(
  deps: IdentityDeps,
  account: Account,
  options: ProfilesOptions,
): Promise<Record<string, unknown>> {
  const list = async () =>
    (await listProfiles(deps.database, account)).filter(
      ({ id }) => options.only === undefined || id === options.only.id,
    )
  let profiles = await list()
  const tokens = new Map<string, Record<string, unknown>>()
  if (options.auth) {
    await Promise.all(profiles.map(async (profile) => tokens.set(profile.id, await tokensOf(deps, profile))))
    // Refreshing a token can change the state of its profile to `needs_auth`.
    profiles = await list()
  }
  const response: Record<string, unknown> = { id: account.id }
  for (const [service, group] of Map.groupBy(profiles, ({ service }) => service))
    response[service] = group.map((profile) =>
      presentEntry(profile, deps.config.baseUrl, options, tokens.get(profile.id)),
    )
  return response
}

function presentEntry(
  profile: Profile,
  baseUrl: string,
  options: ProfilesOptions,
  tokens: Record<string, unknown> | undefined,
): unknown {
  if (!options.auth && !options.full) return encodePart(profile.nativeId)
  return {
    ...describe(profile, baseUrl),
    ...(options.full ? { data: JSON.parse(profile.data) } : {}),
    ...(options.auth ? { auth: tokens ?? {} } : {}),
  }
}

function describe(profile: Profile, baseUrl: string): Record<string, unknown> {
  const { name, handle, email, url, photo } = profile.person
  return {
    id: encodePart(profile.nativeId),
    service: profile.service,
    profile: profileName(profile),
    name,
    handle,
    email,
    url,
    photo,
    state: profile.state,
    scope: profile.scope,
    connected_at: profile.connectedAt,
    synced_at: profile.syncedAt,
    ...(profile.error === undefined ? {} : { error: profile.error }),
    ...(profile.state === 'needs_auth' ? { reconnect: reconnectAddress(baseUrl, profile) } : {}),
  }
}

/** Refreshes the tokens first: the app wants to call the service with them. */
async function tokensOf(deps: IdentityDeps, profile: Profile): Promise<Record<string, unknown>> {
  const credential = await currentCredential(deps, profile)
  if (credential === undefined) return {}
  return {
    token: credential.token,
    token_secret: credential.tokenSecret,
    refresh_token: credential.refreshToken,
    expires_at: credential.expiresAt,
    scope: credential.scope,
  }
}

async function currentCredential(deps: IdentityDeps, profile: Profile): Promise<Credential | undefined> {
  const connector = deps.registry.find(profile.service)
  const access = connector && (await serviceAccessOf(deps, profile, connector))
  try {
    if (access !== undefined) return (await freshCredential(deps, { profile, ...access })).credential
  } catch (error) {
    deps.log.warn('a credential could not be refreshed; the stored one is shown', { service: profile.service, error })
  }
  return storedCredential(deps, profile)
}

/** A damaged credential cannot be restored: the person has to sign in again. */
async function storedCredential(deps: IdentityDeps, profile: Profile): Promise<Credential | undefined> {
  try {
    const stored = await findCredential(deps.database, deps.keyring, { shard: profile.shard, profileId: profile.id })
    return stored && (JSON.parse(stored.value) as Credential)
  } catch (error) {
    if (!(error instanceof SealError) || error.reason !== 'damaged') throw error
    const cause = new UpstreamError('reauthorize', error.message, { reason: 'credential_damaged', cause: error })
    await markNeedsAuth(deps, profile, cause)
    return undefined
  }
}

export interface ProfileLine {
  profile: string
  state: ProfileState
  name: string | undefined
  connected_at: number
}

/** For operators: the profiles of an account of any app, by its id. */
export async function profilesOf(
  { database }: Pick<IdentityDeps, 'database'>,
  accountId: string,
): Promise<ProfileLine[]> {
  const profiles = await listProfiles(database, await requireAccountById(database, accountId))
  return profiles.map((each) => ({
    profile: profileName(each),
    state: each.state,
    name: each.person.name,
    connected_at: each.connectedAt,
  }))
}
