/** One person for one app: the parent of all profiles authenticated to it. */
export interface Account {
  shard: number
  id: string
  appId: string
  /** The parts its profiles live in. */
  shards: number[]
  createdAt: number
  /** Its profiles as they were when a token opened it, also those that only keep items; absent when it was found otherwise. */
  profiles?: ProfileRef[]
  /** The token that opened it; absent when it was found otherwise. */
  token?: TokenKey
}

/** An account that a token has just opened. */
export interface OpenedAccount extends Account {
  profiles: ProfileRef[]
  token: TokenKey
}

/**
 * What a token opened a moment ago. The token may be revoked by now and profiles may have come or gone, so that only a statement
 * which proves it again may read with it, and must throw `AccountChanged` when it is not so any more. Nothing that takes an
 * `Account` takes this.
 */
export interface CachedAccount {
  cached: Pick<OpenedAccount, 'id' | 'profiles' | 'token'>
}

/** For those who prove what they read with. */
export type ReadingAccount = Account | CachedAccount

/** An access token as the store knows it. */
export interface TokenKey {
  shard: number
  hash: Buffer
}

/** What was cached of an account is not so any more, or was not proven. */
export class AccountChanged extends Error {
  constructor() {
    super('the account is not what it was')
    this.name = 'AccountChanged'
  }
}

/** A profile by its names alone. */
export interface ProfileRef {
  shard: number
  profileId: string
  service: string
  /** Native id of the service user. */
  owner: string
}
