import type { TokenKey } from './account.ts'

/** The access that an operation in progress depends on: it must end when any of this does. */
export interface Grant {
  /** The token of the request and its account; undefined for background work. */
  token?: TokenKey | undefined
  accountId?: string | undefined
  /** The token for one service that the request came with, instead of `token`. */
  proxyToken?: TokenKey | undefined
  /** The profiles whose data it carries. */
  profiles: readonly { shard: number; profileId: string }[]
  /** The grant also ends when a profile is merged into another: such a profile is not synced. */
  unmerged?: boolean
  /** The grant also ends when syncs of a profile are paused. */
  unpaused?: boolean
}

/** Ends operations in progress when their access ends: streamed responses, proxied bodies, sync runs. */
export interface AccessWatch {
  /** Calls `onEnd` once when the grant ends. Returns a function that stops watching. */
  follow(grant: Grant, onEnd: () => void): () => void
  close(): void
}

/** The access that an operation in progress depended on has ended. */
export class AccessEnded extends Error {
  constructor() {
    super('the access that this operation depends on has ended')
    this.name = 'AccessEnded'
  }
}
