import type { Account } from '#model/accounts/account.ts'
import type { ProfileState } from '#model/accounts/profile.ts'
import { profileName, type ServiceNames } from '#model/accounts/profile-name.ts'
import { reconnectAddress } from '#model/accounts/reconnect-address.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import { FAILURES } from '#model/sync/sync-reasons.ts'
import { shardOf } from '#platform/crypto/ids.ts'
import type { Database } from '#platform/postgres/database.ts'
import { findAccountById } from '#store/identity/accounts.ts'
import {
  type AccountFilter,
  countAccountsOfApp,
  type ListedAccount,
  type ListedProfile,
  listAccountsOfApp,
  listProfilesOfAccounts,
} from '#store/identity/accounts-of-app.ts'
import { personQuery } from '#store/identity/person-terms.ts'
import { findProfile } from '#store/identity/profiles.ts'

export interface ListDeps {
  database: Database
  registry: ServiceNames
  config: { baseUrl: string }
}

export interface AccountsQuery {
  limit: number
  /** From the previous page. */
  cursor?: string | undefined
  service?: string | undefined
  state?: ProfileState | undefined
  /** An account's or profile's id, or words of a person, a handle, an e-mail address or a native id. */
  q?: string | undefined
  /** Only accounts with an endpoint whose last run failed. */
  failing?: boolean | undefined
  /** Only accounts with an endpoint that was last not read to its end for this reason. */
  reason?: string | undefined
  /** Whether to count all accounts that match. */
  count: boolean
}

export interface AccountView {
  id: string
  created_at: number
  profiles: ProfileView[]
}

interface ProfileView {
  profile: string
  service: string
  name?: string
  handle?: string
  email?: string
  photo?: string
  /** What the person granted, as the service said it. */
  scope?: string
  state: ProfileState
  connected_at: number
  synced_at?: number
  error?: string
  /** Where the app requests a link by which the person signs in again. */
  reconnect?: string
}

/** The accounts of one app, a page at a time. */
export async function listAccounts(
  deps: ListDeps,
  appId: string,
  query: AccountsQuery,
): Promise<{ accounts: AccountView[]; next: string | undefined; total: number | undefined }> {
  const { database } = deps
  const named = query.q === undefined ? undefined : await accountNamed(database, appId, query.q.trim())
  if (named !== undefined) return { accounts: await present(deps, [named]), next: undefined, total: 1 }
  const person = query.q === undefined ? undefined : personQuery(appId, query.q)
  // Without a word there is nothing to find.
  if (query.q !== undefined && person === undefined) return { accounts: [], next: undefined, total: 0 }
  const filter: AccountFilter = {
    service: serviceOf(deps, query.service),
    state: query.state,
    person,
    reasons: query.reason === undefined ? (query.failing === true ? FAILURES : undefined) : [query.reason],
  }
  const page = await listAccountsOfApp(database, appId, filter, positionOf(query.cursor), query.limit)
  const total = query.count ? await countAccountsOfApp(database.background, appId, filter) : undefined
  const next = page.next === undefined ? undefined : Buffer.from(page.next).toString('base64url')
  return { accounts: await present(deps, page.accounts), next, total }
}

/** By the id of the account, or of one of its profiles. */
async function accountNamed(database: Database, appId: string, id: string): Promise<Account | undefined> {
  const shard = shardOf(id)
  if (shard === undefined) return undefined
  const profile = await findProfile(database, shard, id)
  const account = await findAccountById(database, profile?.accountId ?? id)
  return account?.appId === appId ? account : undefined
}

/** Another app's account is `not_found`, and so is one that was merged or erased. */
export async function showAccount(deps: ListDeps, appId: string, id: string): Promise<AccountView> {
  const account = await findAccountById(deps.database, id)
  const [shown] = account?.appId === appId ? await present(deps, [account]) : []
  if (shown === undefined) throw new ApiError('not_found', 'There is no such account.')
  return shown
}

async function present(
  deps: ListDeps,
  accounts: readonly Pick<ListedAccount, 'id' | 'shards' | 'createdAt'>[],
): Promise<AccountView[]> {
  const profiles = Map.groupBy(await listProfilesOfAccounts(deps.database, accounts), ({ accountId }) => accountId)
  return accounts.map(({ id, createdAt }) => ({
    id,
    created_at: createdAt,
    profiles: (profiles.get(id) ?? []).map((profile) => presentProfile(deps, profile)),
  }))
}

function presentProfile({ config }: ListDeps, profile: ListedProfile): ProfileView {
  const { accountId, scope, state, syncedAt, error } = profile
  const { name, handle, email, photo } = profile.person
  return {
    profile: profileName(profile),
    service: profile.service,
    ...(name === undefined ? {} : { name }),
    ...(handle === undefined ? {} : { handle }),
    ...(email === undefined ? {} : { email }),
    ...(photo === undefined ? {} : { photo }),
    ...(scope === undefined ? {} : { scope }),
    state,
    connected_at: profile.connectedAt,
    ...(syncedAt === undefined ? {} : { synced_at: syncedAt }),
    ...(error === undefined ? {} : { error }),
    ...(state === 'needs_auth' ? { reconnect: reconnectAddress(config.baseUrl, profile, accountId) } : {}),
  }
}

function serviceOf({ registry }: ListDeps, name: string | undefined): string | undefined {
  if (name === undefined) return undefined
  const service = registry.find(name)?.service
  if (service === undefined) throw invalidInput('bad_parameter', 'service', `“${name}” is not a known service.`)
  return service
}

/** The cursor is the id of the last account read; callers need not know that. */
function positionOf(cursor: string | undefined): { shard: number; id: string } {
  if (cursor === undefined) return { shard: -1, id: '' }
  const id = Buffer.from(cursor, 'base64url').toString('latin1')
  const shard = shardOf(id)
  if (shard === undefined)
    throw invalidInput('bad_parameter', 'cursor', 'must be copied from the `Link` header of the previous page.')
  return { shard, id }
}
