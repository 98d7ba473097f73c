import type { ProfileState } from './profile.ts'
import type { ProxyToken } from './proxy-token.ts'

/** One person in one app, with all profiles that they connected to it. */
export interface Account {
  shard: number
  id: string
  appId: string
  /** The shards of its profiles. */
  shards: number[]
  createdAt: number
  /** Its profiles when it was found by a token, including those that only store items; absent otherwise. */
  profiles?: OwnedProfile[]
  /** The token it was found by; absent otherwise. */
  token?: TokenKey
  /** The token for one service that it was found by: it has no other profiles than those the token is for, and only calls the service. */
  proxyToken?: ProxyToken
  /** An operator reads for it: what is read is verified, as it is with a token. */
  isActedFor?: true
}

/** An account that was just found by an access token. */
export interface OpenedAccount extends Account {
  profiles: OwnedProfile[]
  token: TokenKey
  /** When the token was used last, to a day. */
  tokenUsedAt: number
}

/** An account that was just found by a token for one service. */
export interface AccountOfProxyToken extends Account {
  profiles: OwnedProfile[]
  proxyToken: ProxyToken
}

/** Whether one statement can verify the token and read everything of the account. Merges add profiles of other shards. */
export function isInOneShard({ shards, token }: OpenedAccount): boolean {
  return shards.every((shard) => shard === token.shard)
}

/**
 * An account as a token opened it a moment ago. The token may be revoked since and profiles may have been added or removed, so only
 * a statement that verifies both may read with it, and must throw `AccountChanged` when they differ. It is not an `Account`, so
 * that no other function accepts it. Only accounts in one shard are cached.
 */
export interface CachedAccount {
  cached: Pick<OpenedAccount, 'id' | 'profiles' | 'token'>
}

/** An account for statements that verify what they read with. */
export type VerifiedOrCachedAccount = Account | CachedAccount

/** An access token as the store knows it. */
export interface TokenKey {
  shard: number
  hash: Buffer
}

/** The cached account is out of date, or was not verified. */
export class AccountChanged extends Error {
  constructor() {
    super('the account has changed')
    this.name = 'AccountChanged'
  }
}

/** A profile by its keys alone. */
export interface ProfileRef {
  shard: number
  profileId: string
  service: string
  /** Native id of the service user. */
  owner: string
}

/** A profile as its account lists it, without what the service says about the person. */
export interface OwnedProfile extends ProfileRef {
  /** It was merged into another profile and only keeps its items. */
  isMerged: boolean
  state: ProfileState
  connectedAt: number
}
