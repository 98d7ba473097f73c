const REDACTED = '[redacted]'

// Names whose values are never written, regardless of case and separators.
const SECRET_NAMES = new Set(
  ['pass passwd code state source dest dpop sealed', 'connection_string database_url engine_url tributary_key']
    .join(' ')
    .split(' ')
    .map(normalizeName),
)
const SECRET_ENDINGS =
  /(token|secret|password|passphrase|apikey|privatekey|secretkey|accesskey|authorization|cookie|signature|assertion|verifier|credentials?)$/

function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

// Tokens are recognised by the prefix that we or their service gave them; the other patterns are usual forms of secrets in text.
const PATTERNS: [RegExp, string][] = [
  [/\b((?:proxy-)?authorization|(?:set-)?cookie)(\\?["']\s*:\s*\\?["'])[^"'\\]+/gi, `$1$2${REDACTED}`],
  [/\b((?:proxy-)?authorization|(?:set-)?cookie)(\s*:\s*)(?!\[redacted)[^\s"'][^\r\n]*/gi, `$1$2${REDACTED}`],
  [/\btr[a-z]{1,2}_[0-9a-z]{20,}/g, REDACTED],
  [/\bwhsec_[A-Za-z0-9+/=]{16,}/g, REDACTED],
  [
    /\b(?:gh[a-z]_|github_pat_|glpat-|xox[a-z]-|xapp-|ya29\.|GOCSPX-|sk[-_](?:live|test|proj|ant)[-_])[\w.-]{16,}/g,
    REDACTED,
  ],
  [/\b(?:EAA|sl\.(?:u\.)?)[\w-]{40,}/g, REDACTED],
  // A credential is long or has a digit; a plain word after the scheme ("OAuth callback") is not one.
  [/\b(Bearer|DPoP|Basic|OAuth)\s+(?:(?=\S*\d)[\w.~+/=-]{8,}|[\w.~+/=-]{16,})/gi, `$1 ${REDACTED}`],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, REDACTED],
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/@]*:)[^\s/]+@/gi, `$1${REDACTED}@`],
  [/\b(https?:\/\/)[^\s:/@?#]+@/gi, `$1${REDACTED}@`],
]

// `name=` and `name:`, and the values that may follow: bare, quoted, or quoted inside a quoted text.
const NAME = /(?<![\w.-])([\w.-]+)(\\?["']?\s*[=:]\s*)/g
const VALUE = /\\"(?:[^"\\]|\\[^"])*(?:\\")?|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[^&\s"',;}#)\]\\]+/y

export function isSecretName(name: string): boolean {
  const normalized = normalizeName(name)
  return SECRET_NAMES.has(normalized) || SECRET_ENDINGS.test(normalized)
}

// A text without any of these cannot match a pattern above; this skips most paths and words.
const MAY_CONTAIN_SECRET =
  /[=:\s]|(?:tr[a-z]{1,2}|gh[a-z]|pat|whsec|sk)_|(?:glpat|xox[a-z]|xapp|GOCSPX|sk)-|ya29|sl\.|EAA|eyJ/
/**
 * Limit: shortest secret that is redacted by its value; shorter values are not secrets, and redacting them would damage
 * words.
 */
const MIN_SECRET = 6
/** Limit: rounds of percent-encoding in which a secret is found. */
const MAX_ENCODINGS = 3
const ENCODED = /(?:%[\da-f]{2})+/gi

/** For every text that is logged, stored or shown. `secrets` are redacted by their value, percent-encoded ones too. */
export function redactText(text: string, secrets: readonly (string | undefined)[] = []): string {
  let shown = redactPlain(text, secrets)
  let decoded = shown
  for (let round = 0; round < MAX_ENCODINGS && decoded.includes('%'); round += 1) {
    decoded = decoded.replaceAll(ENCODED, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'))
    const safe = redactPlain(decoded, secrets)
    // Only a text that hides a secret is shown decoded, without the control characters that this may bring.
    if (safe !== decoded) shown = safe.replaceAll(/\p{Cc}/gu, encodeURIComponent)
    decoded = safe
  }
  return shown
}

function redactPlain(text: string, secrets: readonly (string | undefined)[]): string {
  let safe = text
  for (const secret of secrets) if (secret && secret.length >= MIN_SECRET) safe = safe.replaceAll(secret, REDACTED)
  if (!MAY_CONTAIN_SECRET.test(safe)) return safe
  for (const [pattern, replacement] of PATTERNS) safe = safe.replaceAll(pattern, replacement)
  return redactPairs(safe)
}

function redactPairs(text: string): string {
  let safe = ''
  let done = 0
  for (const { 0: pair, 1: name = '', 2: between = '', index } of text.matchAll(NAME)) {
    if (index < done || !isSecretName(name)) continue
    VALUE.lastIndex = index + pair.length
    const value = VALUE.exec(text)?.[0] ?? ''
    const quote = /^\\?["']/.exec(value)?.[0] ?? ''
    const bare = value.slice(quote.length, quote === '' ? undefined : -quote.length)
    // A value after `=` comes from a URL or a form, where a code is always an OAuth code.
    if (
      bare === '' ||
      /^\[redacted\]?$/.test(bare) ||
      (between.includes(':') && (isHarmless(name, bare) || isErrorNumber(name, between, bare)))
    )
      continue
    safe += `${text.slice(done, index + pair.length)}${quote}${REDACTED}${quote}`
    done = index + pair.length + value.length
  }
  return safe + text.slice(done)
}

/** Returns a copy that may be logged: values under secret names and token-like texts are redacted, at any depth. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value)
  if (typeof value === 'bigint') return value.toString()
  if (value === null || typeof value !== 'object') return value
  if (depth > 8) return '[deep]'
  if (value instanceof Error) return redactError(value, depth)
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`
  if (Array.isArray(value)) return value.slice(0, 100).map((entry) => redact(entry, depth + 1))
  if ('toJSON' in value && typeof value.toJSON === 'function') return redact(value.toJSON(), depth + 1)
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [
      redactText(name),
      isSecretName(name) && !isHarmless(name, entry) ? REDACTED : redact(entry, depth + 1),
    ]),
  )
}

// Names with two meanings: the code of an error or the state of an object stays readable, an OAuth code or state does not.
function isHarmless(name: string, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'boolean') return true
  if (!['code', 'state', 'source', 'dest'].includes(name.toLowerCase())) return false
  if (typeof value === 'number') return true
  return typeof value === 'string' && /^(E[A-Z]{2,}|[A-Z]+(_[A-Z]+)+|[0-9A-Z]{5}|[a-z]+(_[a-z]+)*)$/.test(value)
}

// Services number their errors, as in `{"code":89}`. One-time codes have more digits, and an OAuth code is never so short.
function isErrorNumber(name: string, between: string, bare: string): boolean {
  return name === 'code' && /^\\?"/.test(between) && /^-?\d{1,5}$/.test(bare)
}

function redactError(error: Error, depth: number): Record<string, unknown> {
  return {
    name: error.name,
    message: redactText(error.message),
    ...('code' in error ? { code: error.code } : {}),
    ...(error.stack === undefined ? {} : { stack: redactText(error.stack) }),
    ...(error instanceof AggregateError ? { errors: redact(error.errors, depth + 1) } : {}),
    ...(error.cause === undefined ? {} : { cause: redact(error.cause, depth + 1) }),
  }
}
