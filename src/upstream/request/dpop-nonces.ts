/** The last nonce of each server (RFC 9449 section 8), by origin. */
export interface DpopNonces {
  get(origin: string): string | undefined
  set(origin: string, nonce: string): void
}

/** Limit: servers whose DPoP nonce is cached; the oldest is evicted. */
const MAX_ORIGINS = 1000
/** Limit: characters of a DPoP nonce; a longer one is ignored. */
const MAX_NONCE_LENGTH = 1024

export function createDpopNonces(): DpopNonces {
  const nonces = new Map<string, string>()
  return {
    get: (origin) => nonces.get(origin),
    set(origin, nonce) {
      if (nonce.length > MAX_NONCE_LENGTH) return
      // Moves the entry to the end, because the first one is evicted.
      nonces.delete(origin)
      nonces.set(origin, nonce)
      const [oldest] = nonces.keys()
      if (nonces.size > MAX_ORIGINS && oldest !== undefined) nonces.delete(oldest)
    },
  }
}
