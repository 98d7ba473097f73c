/** One person for one app: the parent of all profiles authenticated to it. */
export interface Account {
  part: number
  id: string
  appId: string
  /** The parts its profiles live in. */
  parts: number[]
  createdAt: number
  /** Its profiles as they were when a token opened it, also those that only keep items; absent when it was found otherwise. */
  holds?: Held[]
  /** The token that opened it; absent when it was found otherwise. */
  token?: TokenKey
  /** When it was only remembered: the token that opened it. A reader must ask for both again, and throw `AccountChanged`. */
  recalled?: TokenKey
}

/** An access token as the store knows it. */
export interface TokenKey {
  part: number
  hash: Buffer
}

/** What was remembered of an account is not so any more, or was not asked for again. */
export class AccountChanged extends Error {
  constructor() {
    super('the account is not what it was')
    this.name = 'AccountChanged'
  }
}

/** A profile by its names alone. */
export interface Held {
  part: number
  profileId: string
  service: string
  /** Native id of the service user. */
  owner: string
}
