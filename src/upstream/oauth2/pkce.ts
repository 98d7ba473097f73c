import { createHash } from 'node:crypto'

/** RFC 7636 with S256; the other method, `plain`, does not protect. */
export function createVerifier(random: (bytes: number) => Buffer): string {
  return random(32).toString('base64url')
}

export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}
