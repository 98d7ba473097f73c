import type { TokenKey } from './account.ts'

/** What something under way rests upon: it must end when any of this does. */
export interface Grant {
  /** The token it was asked with, and the account that the token opened; undefined for work of our own. */
  token?: TokenKey | undefined
  accountId?: string | undefined
  /** The profiles whose data it carries. */
  profiles: readonly { shard: number; profileId: string }[]
  /** A profile that was folded into another by a merge does not count any more: it is not synced. */
  unmerged?: boolean
  /** Nor does one whose syncs somebody paused. */
  unpaused?: boolean
}

/** Ends what is under way when access ends: answers, followers, proxied bodies, runs. */
export interface AccessWatch {
  /** Calls `onEnd` once when the grant is gone. Gives a function that ends the watch. */
  follow(grant: Grant, onEnd: () => void): () => void
  close(): void
}

/** The access that something under way rested upon is gone. */
export class AccessEnded extends Error {
  constructor() {
    super('the access that this rested upon has ended')
    this.name = 'AccessEnded'
  }
}
