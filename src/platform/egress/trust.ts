/**
 * Who chose the address of an outgoing call: the operator (shipped connectors and key overrides), an app (destinations and
 * webhooks), a person whose profile lives on a server of their choice, or a stranger who named a server and has not signed in yet.
 */
export type Trust = 'operator' | 'app' | 'person' | 'stranger'

/** The two settings with private networks. */
export type PrivateList = 'allowPrivate' | 'allowPrivateTyped'

export interface TrustRules {
  /** The setting with the private networks that may be reached. */
  list: PrivateList
  /** `web`: outside these networks only ports on which web servers listen. */
  ports: 'any' | 'web'
  /** Whether the sockets of the demo services may be reached by name. */
  sockets: boolean
  connectTimeoutMs: number
  /** Upper bound for one whole call to a service, whatever its caller sets. */
  maxCallMs: number
  /** Upper bound for the bytes of one response of a service that is read whole. */
  maxResponseBytes: number
}

const MB = 1024 * 1024

/** What each level may reach, and how much of us it may use. */
export const TRUST: Readonly<Record<Trust, TrustRules>> = {
  operator: {
    list: 'allowPrivate',
    ports: 'any',
    sockets: true,
    connectTimeoutMs: 10_000,
    maxCallMs: 60_000,
    maxResponseBytes: 16 * MB,
  },
  app: {
    list: 'allowPrivate',
    ports: 'any',
    sockets: false,
    connectTimeoutMs: 10_000,
    maxCallMs: 60_000,
    maxResponseBytes: 16 * MB,
  },
  person: {
    list: 'allowPrivateTyped',
    ports: 'web',
    sockets: false,
    connectTimeoutMs: 10_000,
    maxCallMs: 60_000,
    maxResponseBytes: 5 * MB,
  },
  stranger: {
    list: 'allowPrivateTyped',
    ports: 'web',
    sockets: false,
    connectTimeoutMs: 5000,
    maxCallMs: 10_000,
    maxResponseBytes: MB,
  },
}

/** The environment variable of each setting, for the one who has to change it. */
export const LIST_VARIABLES: Readonly<Record<PrivateList, string>> = {
  allowPrivate: 'TRIBUTARY_ALLOW_PRIVATE',
  allowPrivateTyped: 'TRIBUTARY_ALLOW_PRIVATE_TYPED',
}

/**
 * Unprivileged ports of databases, brokers and other machinery, and those that browsers block because a request can be taken for
 * another protocol (WHATWG Fetch, “port blocking”).
 */
const REFUSED_PORTS = new Set([
  1433, 1434, 1521, 1719, 1720, 1723, 1883, 2049, 2181, 2375, 2376, 2377, 2379, 2380, 3306, 3389, 3659, 4045, 4190,
  4222, 5060, 5061, 5432, 5671, 5672, 5900, 5984, 6000, 6222, 6379, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679,
  6697, 7000, 7001, 8086, 8123, 8200, 8222, 8300, 8301, 8500, 9042, 9092, 9100, 9160, 9200, 9300, 10_080, 10_250,
  10_255, 11_211, 15_672, 16_379, 26_257, 26_379, 27_017, 27_018, 27_019,
])

/** Whether a web server that people use may listen there: 443, 80, and unprivileged ports that nothing else is known for. */
export function isWebPort(port: number): boolean {
  return port === 443 || port === 80 || (port >= 1024 && port <= 65_535 && !REFUSED_PORTS.has(port))
}
