/** A PKCE pair: keep the verifier, send the challenge (RFC 7636, S256). */
export interface Pkce {
  verifier: string
  challenge: string
}

export async function createPkce(): Promise<Pkce> {
  const verifier = randomText()
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return { verifier, challenge: base64Url(new Uint8Array(digest)) }
}

/** 256 random bits: for `state`, and for verifiers. */
export function randomText(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)))
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
