/**
 * PostgreSQL's text has no NUL, and lone surrogates have no UTF-8: both become U+FFFD. A JSON document may keep them, because it
 * escapes both.
 */
export function storableText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed()
}
