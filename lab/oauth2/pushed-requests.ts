import type { ServiceClock } from '../base/clock.ts'
import type { Pair } from '../base/pairs.ts'
import { secret } from '../base/random.ts'

/** RFC 9126: authorization requests sent ahead, each usable once, by its client, for a short while. */
export interface PushedRequests {
  lifeSeconds: number
  add(clientKey: string, params: Pair[]): string
  take(clientKey: string, requestUri: string): Pair[] | undefined
}

export function createPushedRequests(clock: ServiceClock): PushedRequests {
  const waiting = new Map<string, { clientKey: string; params: Pair[]; expiresAtMs: number }>()
  const lifeSeconds = 60
  return {
    lifeSeconds,
    add(clientKey, params) {
      const uri = `urn:ietf:params:oauth:request_uri:${secret()}`
      waiting.set(uri, { clientKey, params, expiresAtMs: clock.now() + lifeSeconds * 1000 })
      return uri
    },
    take(clientKey, requestUri) {
      const found = waiting.get(requestUri)
      if (!found || found.clientKey !== clientKey) return undefined
      waiting.delete(requestUri)
      return found.expiresAtMs > clock.now() ? found.params : undefined
    },
  }
}
