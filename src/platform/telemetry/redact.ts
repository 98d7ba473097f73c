const HIDDEN = '[redacted]'

// Names whose values are never written anywhere, whatever their case and separators.
const SECRET_NAMES = new Set(
  ['pass passwd code state source dest dpop sealed', 'connection_string database_url engine_url tributary_key']
    .join(' ')
    .split(' ')
    .map(plain),
)
const SECRET_ENDINGS =
  /(token|secret|password|passphrase|apikey|privatekey|secretkey|accesskey|authorization|cookie|signature|assertion|verifier|credentials?)$/

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

// Our own tokens carry a prefix that gives them away wherever they turn up; the rest are shapes secrets take in text.
const PATTERNS: [RegExp, string][] = [
  [/\b((?:proxy-)?authorization|(?:set-)?cookie)(\\?["']\s*:\s*\\?["'])[^"'\\]+/gi, `$1$2${HIDDEN}`],
  [/\b((?:proxy-)?authorization|(?:set-)?cookie)(\s*:\s*)(?!\[redacted)[^\s"'][^\r\n]*/gi, `$1$2${HIDDEN}`],
  [/\btr[a-z]{1,2}_[0-9a-z]{20,}/g, HIDDEN],
  [/\bwhsec_[A-Za-z0-9+/=]{16,}/g, HIDDEN],
  // A word of prose after the scheme ("OAuth callback") is none; a credential is long or has a digit.
  [/\b(Bearer|DPoP|Basic|OAuth)\s+(?:(?=\S*\d)[\w.~+/=-]{8,}|[\w.~+/=-]{16,})/gi, `$1 ${HIDDEN}`],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, HIDDEN],
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/@]*:)[^\s/]+@/gi, `$1${HIDDEN}@`],
  [/\b(https?:\/\/)[^\s:/@?#]+@/gi, `$1${HIDDEN}@`],
]

// `name=` and `name:`, and what may stand behind them: bare, quoted, or quoted inside a quoted text.
const NAME = /(?<![\w.-])([\w.-]+)(\\?["']?\s*[=:]\s*)/g
const VALUE = /\\"(?:[^"\\]|\\[^"])*(?:\\")?|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[^&\s"',;}#)\]\\]+/y

export function isSecretName(name: string): boolean {
  const bare = plain(name)
  return SECRET_NAMES.has(bare) || SECRET_ENDINGS.test(bare)
}

// None of the above is found in a text without one of these; most paths and words have none.
const SUSPICIOUS = /[=:\s]|tr[a-z]{1,2}_|whsec_|eyJ/

export function redactText(text: string): string {
  if (!SUSPICIOUS.test(text)) return text
  let safe = text
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
    // What stands behind `=` came from an address or a form, where a code is always the secret kind.
    if (bare === '' || /^\[redacted\]?$/.test(bare) || (between.includes(':') && isHarmless(name, bare))) continue
    safe += `${text.slice(done, index + pair.length)}${quote}${HIDDEN}${quote}`
    done = index + pair.length + value.length
  }
  return safe + text.slice(done)
}

/** A copy that may be logged: values under secret names and token-like texts are hidden, at any depth. */
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
      isSecretName(name) && !isHarmless(name, entry) ? HIDDEN : redact(entry, depth + 1),
    ]),
  )
}

// Names with two meanings: an error's code and a profile's state must stay readable, an OAuth code or state must not.
function isHarmless(name: string, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'boolean') return true
  if (!['code', 'state', 'source', 'dest'].includes(name.toLowerCase())) return false
  if (typeof value === 'number') return true
  return typeof value === 'string' && /^(E[A-Z]{2,}|[A-Z]+(_[A-Z]+)+|[0-9A-Z]{5}|[a-z]+(_[a-z]+)*)$/.test(value)
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
