interface Cookie {
  name: string
  value: string
  path: string
  expiresAtMs: number
}

/** Separates cookies by origin. Stricter than real browsers, which share cookies between ports of one host. */
export interface CookieJar {
  header(url: string): string
  take(url: string, setCookies: string[]): void
  all: (url: string) => Record<string, string>
  clear: () => void
}

export function createCookieJar(): CookieJar {
  const origins = new Map<string, Cookie[]>()
  const matching = (url: string) => {
    const { origin, pathname } = new URL(url)
    return (origins.get(origin) ?? []).filter(
      ({ path, expiresAtMs }) => expiresAtMs > Date.now() && under(pathname, path),
    )
  }
  return {
    header: (url) =>
      matching(url)
        .sort((a, b) => b.path.length - a.path.length)
        .map(({ name, value }) => `${name}=${value}`)
        .join('; '),
    take(url, setCookies) {
      const { origin, pathname } = new URL(url)
      for (const line of setCookies) {
        const cookie = parse(line, pathname)
        const others = (origins.get(origin) ?? []).filter((one) => one.name !== cookie.name || one.path !== cookie.path)
        origins.set(origin, cookie.expiresAtMs > Date.now() ? [...others, cookie] : others)
      }
    },
    all: (url) => Object.fromEntries(matching(url).map(({ name, value }) => [name, value])),
    clear: () => origins.clear(),
  }
}

const under = (pathname: string, path: string): boolean =>
  pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)

function parse(line: string, pathname: string): Cookie {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
  const cut = pair.indexOf('=')
  const cookie: Cookie = {
    name: pair.slice(0, cut),
    value: pair.slice(cut + 1),
    path: pathname.slice(0, pathname.lastIndexOf('/')) || '/',
    expiresAtMs: Number.POSITIVE_INFINITY,
  }
  let maxAgeSeconds: number | undefined
  for (const attribute of attributes) {
    const [name = '', value = ''] = attribute.split('=', 2)
    if (name.toLowerCase() === 'path' && value.startsWith('/')) cookie.path = value
    if (name.toLowerCase() === 'expires') cookie.expiresAtMs = Date.parse(value)
    if (name.toLowerCase() === 'max-age') maxAgeSeconds = Number(value)
  }
  if (maxAgeSeconds !== undefined) cookie.expiresAtMs = Date.now() + maxAgeSeconds * 1000
  return cookie
}
