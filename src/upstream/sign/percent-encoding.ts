const UNRESERVED = /^[A-Za-z0-9\-._~]$/
const KEPT_BY_THE_PLATFORM = /[!'()*]/g

/** RFC 3986 percent-encoding of plain text: everything but unreserved characters, upper-case hex, UTF-8. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(KEPT_BY_THE_PLATFORM, hexOf)
}

/**
 * Respells one form-encoded name or value as `percentEncode` of what it decodes to. It never decodes to text in between,
 * so that bytes which are no UTF-8 and stray percent signs keep their meaning.
 */
export function respellFormComponent(encoded: string): string {
  return encoded
    .replace(/\+/g, '%20')
    .split(/(%[0-9a-fA-F]{2})/)
    .map((piece, index) => (index % 2 === 1 ? respellEscape(piece) : percentEncode(piece)))
    .join('')
}

function respellEscape(escape: string): string {
  const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16))
  return UNRESERVED.test(character) ? character : escape.toUpperCase()
}

function hexOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
