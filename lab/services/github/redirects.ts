const loopback = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** The host may be a subdomain of the registered one and the path a subpath; loopback may use any port. */
export function callbackMatches(registered: readonly string[], requested: string): boolean {
  if (!URL.canParse(requested)) return false
  return registered.some((callback) => matches(new URL(callback), new URL(requested)))
}

function matches(callback: URL, requested: URL): boolean {
  const sameHost = requested.hostname === callback.hostname || requested.hostname.endsWith(`.${callback.hostname}`)
  const samePort = requested.port === callback.port || loopback.has(callback.hostname)
  if (requested.protocol !== callback.protocol || !sameHost || !samePort) return false
  const folder = callback.pathname.endsWith('/') ? callback.pathname : `${callback.pathname}/`
  return requested.pathname === callback.pathname || requested.pathname.startsWith(folder)
}
