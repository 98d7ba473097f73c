import { decodePercent } from '#platform/decode-percent.ts'

const HIDDEN = '***'

/** Parameters of addresses that hold no secret; the value of any other is hidden. */
const PLAIN_PARAMETERS = new Set(['region', 'tls', 'sslmode', 'ssl'])
/** Shorter ones are no secrets but words such as `hook`, which messages may use for something else. */
const SHORTEST_SECRET = { name: 4, part: 6 }

/**
 * An address for people's eyes. Hidden are passwords, user names that stand alone (a NATS token), and all of a web address behind its
 * host: receivers put secrets into the path as often as into the query.
 */
export function withoutSecrets(url: string): string {
  const shown = URL.parse(url)
  if (shown === null) return '(hidden)'
  shown.hash = ''
  if (shown.password !== '') shown.password = HIDDEN
  else if (shown.username !== '') shown.username = HIDDEN
  if (isWeb(shown)) {
    if (shown.pathname !== '/') shown.pathname = `/${HIDDEN}`
    if (shown.search !== '') shown.search = `?${HIDDEN}`
  }
  for (const name of new Set(shown.searchParams.keys()))
    if (!isWeb(shown) && !PLAIN_PARAMETERS.has(name)) shown.searchParams.set(name, HIDDEN)
  return shown.href
}

/** A text of a destination without the secrets of its address: a server may repeat what it was given. */
export function hideSecrets(text: string, url: string): string {
  let safe = text
  for (const secret of secretsIn(url)) safe = safe.replaceAll(secret, HIDDEN)
  return safe
}

function secretsIn(text: string): string[] {
  const url = URL.parse(text)
  if (url === null) return []
  // A user name alone is a secret where it is a token; elsewhere messages may say it.
  const names = [url.password === '' && url.protocol === 'nats:' ? url.username : url.password]
  const parts = isWeb(url) ? [...url.pathname.split('/'), ...url.search.slice(1).split(/[&=]/)] : []
  const found = [
    ...names.filter((name) => name.length >= SHORTEST_SECRET.name),
    ...parts.filter((part) => part.length >= SHORTEST_SECRET.part),
  ]
  // The longest first: one may hold another.
  return [...new Set(found.flatMap((each) => [each, decodePercent(each) ?? each]))].sort((a, b) => b.length - a.length)
}

function isWeb({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:'
}
