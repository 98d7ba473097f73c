import { type ProxyAddressConfig, patternOf, serviceOfHost } from '#config/proxy-origin.ts'

/**
 * Tells the addresses at which this server answers, also those of other services: by the configuration, and by the host that a request
 * names. Clients that follow a redirect compare no port, or take a host below the one they called for the same.
 */
export function createOwnAddresses(config: ProxyAddressConfig): (url: URL, calledHost: string | undefined) => boolean {
  const pattern = patternOf(config)
  return (url, calledHost) => {
    const hostname = hostnameOf(url)
    if (pattern !== undefined && serviceOfHost(pattern, hostname) !== undefined) return true
    const named = [new URL(config.baseUrl), URL.parse(`${url.protocol}//${calledHost}`)].filter((each) => each !== null)
    // Empty for the default one, with and without TLS.
    const ports = new Set([...named.map(({ port }) => port), ...Object.values(config.proxyPorts).map(String)])
    return named.some((each) => hostnameOf(each) === hostname) && ports.has(url.port)
  }
}

const hostnameOf = ({ hostname }: URL): string => hostname.replace(/\.$/, '')
