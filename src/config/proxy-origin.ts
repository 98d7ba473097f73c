/** What decides the addresses of the proxy. */
export interface ProxyAddressConfig {
  baseUrl: string
  proxyOrigin: string | undefined
  /** By service; once the server listens, the ports that are open, where 0 was set. */
  proxyPorts: Record<string, number>
}

/** Limit: characters of a service's name in a host name, as in every part of one (RFC 1035). */
const MAX_LABEL = 63
const SERVICE = '{service}'
const LOCAL = /^http:\/\/localhost(?::\d+)?$/
const LABEL = /^[a-z\d](?:[a-z\d-]*[a-z\d])?$/

/** Throws a sentence that says what a pattern must look like. */
export function parseProxyOrigin(text: string): string {
  const shape = `must look like https://${SERVICE}.proxy.example.com, not “${text}”`
  const [, scheme, host] = /^(https?):\/\/([a-z\d.{}-]+)(?::\d{1,5})?$/.exec(text) ?? []
  const [first = '', ...others] = (host ?? '').split('.')
  const isWhole = others.includes(SERVICE)
  const name = host?.replace(SERVICE, 'a') ?? ''
  if ((!isWhole && !first.includes(SERVICE)) || !URL.canParse(text.replace(SERVICE, 'a'))) throw new Error(shape)
  if (!name.includes('.') || !name.split('.').every((label) => label.length <= MAX_LABEL && LABEL.test(label)))
    throw new Error(shape)
  if (scheme !== 'https' && !/(?:^|\.)localhost$/.test(name))
    throw new Error('must begin with https:// unless its host is below localhost')
  return text
}

/** Throws a sentence that says what the list must look like. */
export function parseProxyPorts(text: string): Record<string, number> {
  const found: Record<string, number> = {}
  for (const part of text.split(',').filter((each) => each.trim() !== '')) {
    const [, service, digits] = /^\s*([a-z][a-z\d-]*)=(\d{1,5})\s*$/.exec(part) ?? []
    if (service === undefined || Number(digits) > 65_535)
      throw new Error(`must look like github=8101,google=8102, not “${text}”`)
    if (Object.hasOwn(found, service)) throw new Error(`names ${service} twice`)
    const port = Number(digits)
    if (port !== 0 && Object.values(found).includes(port)) throw new Error(`names the port ${port} twice`)
    found[service] = port
  }
  return found
}

/** Throws if a request to the server itself could be taken for a proxied call. */
export function checkProxyOrigin({ baseUrl, port, proxyOrigin, proxyPorts }: ProxyAddressConfig & { port: number }) {
  if (proxyOrigin !== undefined && serviceOfHost(proxyOrigin, new URL(baseUrl).hostname) !== undefined)
    throw new Error(`TRIBUTARY_PROXY_ORIGIN: ${new URL(baseUrl).hostname} of BASE_URL would be the origin of a service`)
  if (port !== 0 && Object.values(proxyPorts).includes(port))
    throw new Error(`TRIBUTARY_PROXY_PORTS: ${port} is the port of the server itself`)
}

/** The pattern of the services' origins: the setting, or on this machine the names below localhost. */
export function patternOf({ baseUrl, proxyOrigin }: Omit<ProxyAddressConfig, 'proxyPorts'>): string | undefined {
  return proxyOrigin ?? (LOCAL.test(baseUrl) ? baseUrl.replace('localhost', `${SERVICE}.localhost`) : undefined)
}

/** The service whose origin has this host name, in lower case and without a port. */
export function serviceOfHost(pattern: string, hostname: string): string | undefined {
  const start = pattern.indexOf('://') + 3
  const at = pattern.indexOf(SERVICE)
  const prefix = pattern.slice(start, at)
  const suffix = pattern.slice(at + SERVICE.length).replace(/:\d+$/, '')
  const end = hostname.length - suffix.length
  if (end <= prefix.length || !hostname.startsWith(prefix) || !hostname.endsWith(suffix)) return undefined
  const service = hostname.slice(prefix.length, end)
  return service.length <= MAX_LABEL && LABEL.test(service) ? service : undefined
}

/** The origin of a service below the pattern. */
export function originAt(pattern: string, service: string): string {
  return pattern.replace(SERVICE, () => service)
}

/** The origin of a service with a port of its own: there, on the host of the server. */
export function originAtPort({ baseUrl, proxyPorts }: ProxyAddressConfig, service: string): string | undefined {
  const port = proxyPorts[service]
  const { protocol, hostname } = new URL(baseUrl)
  return port === undefined ? undefined : `${protocol}//${hostname}:${port}`
}

/** The address at which apps call a service: its origin if it has one. */
export function proxyAddressOf(config: ProxyAddressConfig, service: string): string {
  const set = config.proxyOrigin === undefined ? undefined : originAt(config.proxyOrigin, service)
  const pattern = patternOf(config)
  return (
    set ??
    originAtPort(config, service) ??
    (pattern === undefined ? `${config.baseUrl}/proxy/${service}` : originAt(pattern, service))
  )
}
