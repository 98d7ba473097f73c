import { createHash } from 'node:crypto'

/** RFC 7636 4.6. Also rejects a verifier without a challenge, which indicates a PKCE downgrade. */
export function verifierMatches(challenge: string | undefined, verifier: string | undefined): boolean {
  if (challenge === undefined || verifier === undefined) return challenge === verifier
  if (!/^[A-Za-z0-9\-._~]{43,128}$/.test(verifier)) return false
  return createHash('sha256').update(verifier).digest('base64url') === challenge
}
