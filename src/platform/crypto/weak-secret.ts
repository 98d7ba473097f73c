/** Limit: different bytes that a secret must have; one with fewer is refused at start. Random secrets have far more. */
const MIN_DISTINCT_BYTES = 8

const EXAMPLES = /change.?me|passw|letmein|qwerty|example|secret|placeholder|dummy|test/i

/** Why this secret is easy to guess, as the end of a sentence; undefined when nothing obvious is wrong. */
export function weaknessOf(secret: Uint8Array): string | undefined {
  if (new Set(secret).size < MIN_DISTINCT_BYTES) return `has fewer than ${MIN_DISTINCT_BYTES} different characters`
  if (isRepetition(secret)) return 'repeats itself'
  const steps = secret.subarray(1).map((byte, i) => byte - (secret[i] ?? 0))
  if (new Set(steps).size === 1) return 'counts up or down'
  return undefined
}

/** Why a secret is perhaps not random. Only for a warning, never a reason to refuse it. */
export function doubtAbout(secret: Uint8Array): string | undefined {
  const weakness = weaknessOf(secret)
  if (weakness !== undefined) return weakness
  const text = Buffer.from(secret).toString('latin1')
  if (EXAMPLES.test(text)) return 'contains a word that is common in examples'
  return isSentence(text) ? 'looks like written text' : undefined
}

// Random bytes in any encoding mix letters and digits; words do not.
function isSentence(text: string): boolean {
  const words = text.split(/[ _.,;!?-]+/).filter((word) => word !== '')
  return words.length >= 3 && words.every((word) => /^(?:[a-z]+|[0-9]+)$/i.test(word))
}

function isRepetition(secret: Uint8Array): boolean {
  for (let period = 1; period <= secret.length / 2; period += 1)
    if (secret.every((byte, i) => i < period || byte === secret[i - period])) return true
  return false
}
