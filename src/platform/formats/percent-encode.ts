const UNRESERVED = /^[A-Za-z0-9\-._~]$/
/** Characters that encodeURIComponent does not encode. */
const NOT_ENCODED_BY_PLATFORM = /[!'()*]/g

/** RFC 3986 percent-encoding: everything except unreserved characters, upper-case hex, UTF-8. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(NOT_ENCODED_BY_PLATFORM, hexOf)
}

/**
 * Re-encodes one form-encoded name or value as `percentEncode` would. It does not decode to text in between, so that
 * invalid UTF-8 and stray percent signs keep their meaning.
 */
export function reencodeFormComponent(encoded: string): string {
  return encoded
    .replace(/\+/g, '%20')
    .split(/(%[0-9a-fA-F]{2})/)
    .map((piece, index) => (index % 2 === 1 ? normalizeEscape(piece) : percentEncode(piece)))
    .join('')
}

function normalizeEscape(escape: string): string {
  const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16))
  return UNRESERVED.test(character) ? character : escape.toUpperCase()
}

function hexOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
