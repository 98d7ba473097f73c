import type { ServiceClock } from '../base/clock.ts'
import type { Pair } from '../base/pairs.ts'
import { secret } from '../base/random.ts'

/** RFC 9126: pushed authorization requests; each is valid once, for its client, for a minute. */
export interface PushedRequests {
  ttlSeconds: number
  add(clientKey: string, params: Pair[]): string
  take(clientKey: string, requestUri: string): Pair[] | undefined
}

export function createPushedRequests(clock: ServiceClock): PushedRequests {
  const pending = new Map<string, { clientKey: string; params: Pair[]; expiresAtMs: number }>()
  const ttlSeconds = 60
  return {
    ttlSeconds,
    add(clientKey, params) {
      const uri = `urn:ietf:params:oauth:request_uri:${secret()}`
      pending.set(uri, { clientKey, params, expiresAtMs: clock.now() + ttlSeconds * 1000 })
      return uri
    },
    take(clientKey, requestUri) {
      const found = pending.get(requestUri)
      if (!found || found.clientKey !== clientKey) return undefined
      pending.delete(requestUri)
      return found.expiresAtMs > clock.now() ? found.params : undefined
    },
  }
}
