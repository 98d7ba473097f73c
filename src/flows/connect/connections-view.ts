import type { IdentityDeps } from '#identity/deps.ts'
import { type Shared, sharesOf } from '#identity/offers.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { grantedScopes, type Profile, type ProfileState, sourceOf } from '#model/accounts/profile.ts'
import { profileName } from '#model/accounts/profile-name.ts'
import { listProfiles } from '#store/identity/profiles.ts'
import { presentAgentGrants } from '../agents/grants.ts'
import type { OpenConnections } from './connections-session.ts'

/** One connected profile, as its person sees it. */
export interface Connection {
  /** `id@service`, for the forms of the page. */
  profile: string
  service: string
  title: string
  /** Its items come from files that the person uploads. */
  isFile: boolean
  /** The person's name at the service. */
  name: string
  state: ProfileState
  /** What is read, as far as the person granted it. */
  shares: Shared[]
  /** The permissions in the words of the service; undefined where it does not say. */
  scopes: string[] | undefined
  connectedAt: number
  syncedAt: number | undefined
}

/** An agent that the person allowed to act for them. */
export interface ConnectedAgent {
  id: string
  /** Where it received the person. */
  host: string
  /** Titles of the services that it may write to. */
  writes: string[]
  createdAt: number
}

export async function listConnections(
  deps: IdentityDeps,
  { account }: Pick<OpenConnections, 'account'>,
): Promise<{ connections: Connection[]; agents: ConnectedAgent[] }> {
  const profiles = await listProfiles(deps.database, account)
  const connections = profiles
    .toSorted((one, other) => one.connectedAt - other.connectedAt)
    .map((profile) => connectionOf(profile, deps.registry.find(profile.service)))
  const agents = (await presentAgentGrants(deps, account)).map((grant) => ({
    id: grant.id,
    host: hostOf(grant.redirect_uri),
    writes: grant.scopes
      .filter((scope) => scope.startsWith('write:'))
      .map((scope) => titleOf(deps, scope.slice('write:'.length))),
    createdAt: grant.created_at,
  }))
  return { connections, agents }
}

function connectionOf(profile: Profile, connector: Connector | undefined): Connection {
  const { name, handle } = profile.person
  return {
    profile: profileName(profile),
    service: profile.service,
    title: connector?.title ?? profile.service,
    isFile: connector?.auth.kind === 'file',
    name: name ?? handle ?? sourceOf(profile),
    state: profile.state,
    shares: connector === undefined ? [] : sharesOf(connector, profile.scope),
    scopes: grantedScopes(profile),
    connectedAt: profile.connectedAt,
    syncedAt: profile.syncedAt,
  }
}

function titleOf({ registry }: IdentityDeps, service: string): string {
  return registry.find(service)?.title ?? service
}

function hostOf(address: string): string {
  const { host, protocol } = new URL(address)
  return host === '' ? protocol : host
}
