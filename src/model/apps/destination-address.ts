import { decodePercent } from '#platform/formats/decode-percent.ts'

const HIDDEN = '***'

/** Parameters that contain no secret; the value of any other is hidden. */
const PLAIN_PARAMETERS = new Set(['region', 'tls', 'sslmode', 'ssl'])
/** Shorter texts are words such as `hook` rather than secrets, and messages may contain them for other reasons. */
const SECRET_CHARS = { name: 4, part: 6 }

/**
 * Masks an address for display: passwords, user names without a password (a NATS token), and everything after the host of a web
 * address, because receivers put secrets into the path as often as into the query.
 */
export function withoutSecrets(url: string): string {
  const masked = URL.parse(url)
  if (masked === null) return '(hidden)'
  masked.hash = ''
  if (masked.password !== '') masked.password = HIDDEN
  else if (masked.username !== '') masked.username = HIDDEN
  if (isWeb(masked)) {
    if (masked.pathname !== '/') masked.pathname = `/${HIDDEN}`
    if (masked.search !== '') masked.search = `?${HIDDEN}`
  }
  for (const name of new Set(masked.searchParams.keys()))
    if (!isWeb(masked) && !PLAIN_PARAMETERS.has(name)) masked.searchParams.set(name, HIDDEN)
  return masked.href
}

/** Removes the secrets of a destination's address from a text: a server may repeat what it was sent. */
export function hideSecrets(text: string, url: string): string {
  let safe = text
  for (const secret of secretsIn(url)) safe = safe.replaceAll(secret, HIDDEN)
  return safe
}

function secretsIn(text: string): string[] {
  const url = URL.parse(text)
  if (url === null) return []
  // A user name is a secret only where it is a token; elsewhere messages may contain it.
  const names = [url.password === '' && url.protocol === 'nats:' ? url.username : url.password]
  const parts = isWeb(url) ? [...url.pathname.split('/'), ...url.search.slice(1).split(/[&=]/)] : []
  const found = [
    ...names.filter((name) => name.length >= SECRET_CHARS.name),
    ...parts.filter((part) => part.length >= SECRET_CHARS.part),
  ]
  // The longest first, because one may contain another.
  return [...new Set(found.flatMap((each) => [each, decodePercent(each) ?? each]))].sort((a, b) => b.length - a.length)
}

function isWeb({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:'
}
