/** What may be called with a token for one service. */
export interface ProxyTokenLimits {
  service: string
  /** Absent: each profile of the service. */
  profileId?: string | undefined
  /** Absent: each method. */
  methods?: readonly string[] | undefined
  /** The paths that calls must be at or below, as they are written; absent: each path. */
  paths?: readonly string[] | undefined
  expiresAt?: number | undefined
}

/** A token for one service of an account. Only the proxy accepts it. */
export interface ProxyToken extends ProxyTokenLimits {
  /** As the store knows it. */
  key: { shard: number; hash: Buffer }
  /** Names it in lists and in the log. */
  id: string
}
