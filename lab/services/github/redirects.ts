const loopback = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** The host may be a sub-domain of the registered one, the path a folder below it; loopback may use any port. */
export function callbackMatches(registered: readonly string[], asked: string): boolean {
  if (!URL.canParse(asked)) return false
  return registered.some((callback) => fits(new URL(callback), new URL(asked)))
}

function fits(callback: URL, asked: URL): boolean {
  const sameHost = asked.hostname === callback.hostname || asked.hostname.endsWith(`.${callback.hostname}`)
  const samePort = asked.port === callback.port || loopback.has(callback.hostname)
  if (asked.protocol !== callback.protocol || !sameHost || !samePort) return false
  const folder = callback.pathname.endsWith('/') ? callback.pathname : `${callback.pathname}/`
  return asked.pathname === callback.pathname || asked.pathname.startsWith(folder)
}
