import { trimEndOf } from '#platform/formats/trim-end.ts'

/**
 * The same path on another instance: `https://one.test/oauth/token` on `https://two.test/git` is
 * `https://two.test/git/oauth/token`.
 */
export function onInstance(url: string, base: string): string {
  return URL.canParse(url) ? `${trimEndOf(base, '/')}${pathOf(url)}` : url
}

/**
 * Moves an address that has no override to the host to which a related address was overridden. Otherwise tokens of one
 * instance would be sent to the host of another.
 */
export function relocateWith(url: string, relatedUrl: string, overriddenUrl: string): string {
  const [from, to] = [URL.parse(relatedUrl), URL.parse(overriddenUrl)]
  if (!URL.canParse(url) || !from || !to || from.origin === to.origin) return url
  return `${to.origin}${prefixOf(from.pathname, to.pathname)}${pathOf(url)}`
}

/** The path of an instance below a host: `/git` for `/oauth/authorize` at `/git/oauth/authorize`. */
function prefixOf(path: string, overriddenPath: string): string {
  return path !== '/' && overriddenPath.endsWith(path) ? overriddenPath.slice(0, -path.length) : ''
}

/**
 * Moves an address to an overridden API: below its path if it was below the path of the vendor's API, else to its host.
 * `https://api.one.test/apps/7` with `https://two.test/api/v3` is `https://two.test/api/v3/apps/7`.
 */
export function besideApi(url: string, vendorApiUrl: string, apiUrl: string): string {
  const to = URL.parse(apiUrl)
  if (!to) return url
  const vendor = trimEndOf(vendorApiUrl, '/')
  return url.startsWith(`${vendor}/`)
    ? `${trimEndOf(apiUrl, '/')}${url.slice(vendor.length)}`
    : `${to.origin}${pathOf(url)}`
}

// Taken from the text, not from a parsed URL, so that placeholders and an issuer without a path stay unchanged.
function pathOf(url: string): string {
  return url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split('#', 1)[0]!
}
