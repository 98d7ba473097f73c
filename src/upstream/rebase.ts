import { trimEndOf } from '#platform/trim-end.ts'

/** The same path on another instance: `https://one.test/oauth/token` on `https://two.test/git` is `https://two.test/git/oauth/token`. */
export function onInstance(url: string, base: string): string {
  return URL.canParse(url) ? `${trimEndOf(base, '/')}${pathOf(url)}` : url
}

/**
 * An address that nobody overrode goes where its neighbour went. Otherwise tokens of one instance would be sent to the
 * host of another.
 */
export function moveBeside(url: string, neighbour: string, movedNeighbour: string): string {
  const [from, to] = [URL.parse(neighbour), URL.parse(movedNeighbour)]
  if (!URL.canParse(url) || !from || !to || from.origin === to.origin) return url
  return `${to.origin}${pathOf(url)}`
}

// Cut out of the text itself, so that placeholders stay as they are and an issuer without a path stays without one.
function pathOf(url: string): string {
  return url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split('#', 1)[0]!
}
