/** Limit: how many different bytes a secret has at least; one with fewer is refused at start. Chance gives far more. */
const MIN_DISTINCT_BYTES = 8

const EXAMPLES = /change.?me|passw|letmein|qwerty|example|secret|placeholder|dummy|test/i
/** Why anybody would try this secret first, as the end of a sentence; undefined when nothing obvious is wrong. */
export function weaknessOf(secret: Uint8Array): string | undefined {
  if (new Set(secret).size < MIN_DISTINCT_BYTES) return `has fewer than ${MIN_DISTINCT_BYTES} different characters`
  if (isRepetition(secret)) return 'repeats itself'
  const steps = secret.subarray(1).map((byte, i) => byte - (secret[i] ?? 0))
  if (new Set(steps).size === 1) return 'counts up or down'
  return undefined
}

/** Why a secret may be no chance, for a warning; never a reason to refuse it. */
export function doubtAbout(secret: Uint8Array): string | undefined {
  const weakness = weaknessOf(secret)
  if (weakness !== undefined) return weakness
  const text = Buffer.from(secret).toString('latin1')
  if (EXAMPLES.test(text)) return 'holds a word of an example'
  return isSentence(text) ? 'looks like a text that somebody wrote' : undefined
}

// Chance in any encoding mixes letters and digits; words do not.
function isSentence(text: string): boolean {
  const words = text.split(/[ _.,;!?-]+/).filter((word) => word !== '')
  return words.length >= 3 && words.every((word) => /^(?:[a-z]+|[0-9]+)$/i.test(word))
}

function isRepetition(secret: Uint8Array): boolean {
  for (let period = 1; period <= secret.length / 2; period += 1)
    if (secret.every((byte, i) => i < period || byte === secret[i - period])) return true
  return false
}
