import type { ServiceClock } from '../base/clock.ts'

/** RFC 5849 3.3: a nonce is valid once per timestamp, client and token. Nonces with old timestamps are dropped. */
export interface Nonces {
  useOnce(key: string, keepMs: number): boolean
}

export function createNonces(clock: ServiceClock): Nonces {
  const seen = new Map<string, number>()
  return {
    useOnce(key, keepMs) {
      const now = clock.now()
      for (const [old, untilMs] of seen) if (untilMs < now) seen.delete(old)
      if (seen.has(key)) return false
      seen.set(key, now + keepMs)
      return true
    },
  }
}
