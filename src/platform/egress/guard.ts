import type { Socket } from 'node:net'
import { isIP } from 'node:net'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import { createAddressPolicy } from './address.ts'
import { EgressError } from './errors.ts'
import {
  checkedAddress,
  checkedAddresses,
  type HostRules,
  pinnedLookup,
  type Resolve,
  type ResolvedAddress,
  systemResolve,
  withoutBrackets,
} from './lookup.ts'
import { guardedSocket, openSocket } from './socket.ts'
import { isWebPort, type PrivateList } from './trust.ts'

export interface EgressOptions {
  /** Ranges that the operator allows: "127.0.0.0/8", "10.1.2.3", "fd00::/8". */
  allowPrivate: readonly string[]
  /** The setting that these ranges are from, for error messages. Default: `allowPrivate`. */
  list?: PrivateList
  connectTimeoutMs?: number
  /** From the last byte sent to the end of the response's headers. */
  headersTimeoutMs?: number
  /** Between two chunks of a response's body. */
  bodyIdleTimeoutMs?: number
  maxHeaderBytes?: number
  /** Allows plain http to public addresses; to the operator's ranges it is always allowed. */
  allowHttp?: boolean
  /** Outside the operator's ranges only ports of web servers may be called. */
  webPortsOnly?: boolean
  /** Further certificate authorities, PEM. Verification cannot be turned off. */
  ca?: string | readonly string[]
  resolve?: Resolve
  /** Sockets of this machine by host name, for http: the simulated services of the demo. Such a name is not looked up. */
  sockets?: Readonly<Record<string, string>>
}

export interface Egress {
  /** Sends every request through the guard. Never follows redirects: the caller checks each hop. */
  dispatcher: Dispatcher
  /** Checks what can be checked without resolving names; throws EgressError. */
  check(url: string | URL): URL
  /** All addresses of a host, each one allowed; throws EgressError. `plain`: without TLS, so only addresses that the operator listed. */
  lookup(host: string, how?: { plain: boolean }): Promise<ResolvedAddress[]>
  /** A connected TCP socket, for drivers that take one. */
  connectSocket(host: string, port: number): Promise<Socket>
  /** An unconnected socket whose `connect(port, host)` is guarded, for drivers that connect by themselves. */
  socket(how?: { plain: boolean }): Socket
  close(): Promise<void>
}

export function createEgress(options: EgressOptions): Egress {
  const policy = createAddressPolicy(options.allowPrivate)
  const connectTimeoutMs = options.connectTimeoutMs ?? 10_000
  const { resolve = systemResolve, list = 'allowPrivate' } = options
  const rules = (listedOnly: HostRules['listedOnly']): HostRules => ({ policy, resolve, list, listedOnly })
  const [open, plainHttp, oddPort] = [rules(undefined), rules('plain_http_refused'), rules('port_refused')]
  const plain = options.allowHttp === true ? open : plainHttp
  const onPort = (port: number, otherwise: HostRules): HostRules =>
    options.webPortsOnly === true && !isWebPort(port) ? oddPort : otherwise
  const rulesFor = (protocol: string, port: string) =>
    onPort(portOf(protocol, port), protocol === 'http:' ? plain : open)

  const check = (url: string | URL): URL => {
    const parsed = parseUrl(url)
    if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') {
      throw new EgressError('scheme_refused', 'Only https and http addresses can be called')
    }
    if (parsed.username !== '' || parsed.password !== '') {
      throw new EgressError('userinfo_refused', 'Addresses must not contain a user name or password')
    }
    requirePort(parsed.protocol, parsed.port)
    const host = withoutBrackets(parsed.hostname)
    if (isIP(host) !== 0) checkedAddress(rulesFor(parsed.protocol, parsed.port), host)
    return parsed
  }

  const tls = options.ca === undefined ? {} : { ca: [options.ca].flat() }
  const base = { timeout: connectTimeoutMs, allowH2: false, ...tls }
  const connectors = new Map(
    [open, plainHttp, oddPort].map((each) => [each, buildConnector({ ...base, lookup: pinnedLookup(each) })]),
  )

  const sockets = new Map(
    Object.entries(options.sockets ?? {}).map(([host, socketPath]) => [host, buildConnector({ ...base, socketPath })]),
  )

  const connect: buildConnector.connector = (target, callback) => {
    const hostname = withoutBrackets(target.hostname)
    const literal = isIP(hostname) !== 0
    try {
      const { protocol } = target
      if (protocol !== 'https:' && protocol !== 'http:') throw new EgressError('scheme_refused', 'Only https and http')
      requirePort(protocol, target.port)
      const socket = protocol === 'http:' ? sockets.get(hostname) : undefined
      if (socket !== undefined) return socket({ hostname, protocol, port: target.port }, callback)
      // Sockets skip `lookup` for literals, so these are checked here, on every connection.
      const applied = rulesFor(protocol, target.port)
      if (literal) checkedAddress(applied, hostname)
      // Only these fields pass: no socket path, no local address, and TLS asks for the name in the URL.
      const name = literal ? {} : { servername: hostname }
      connectors.get(applied)!({ hostname, protocol, port: target.port, ...name }, callback)
    } catch (error) {
      process.nextTick(callback, error, null)
    }
  }

  const dispatcher = new Agent({
    connect,
    allowH2: false,
    headersTimeout: options.headersTimeoutMs ?? 30_000,
    bodyTimeout: options.bodyIdleTimeoutMs ?? 30_000,
    maxHeaderSize: options.maxHeaderBytes ?? 32 * 1024,
  })

  return {
    dispatcher,
    check,
    lookup: (host, how) => checkedAddresses(how?.plain ? plain : open, host),
    connectSocket: (host, port) => openSocket((at) => onPort(at, open), { host, port, connectTimeoutMs }),
    socket: (how) => guardedSocket((at) => onPort(at, how?.plain ? plain : open)),
    close: () => dispatcher.close(),
  }
}

function parseUrl(url: string | URL): URL {
  const parsed = URL.parse(String(url))
  if (!parsed) throw new EgressError('url_invalid', 'Not an absolute URL')
  return parsed
}

const portOf = (protocol: string, port: string): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)

function requirePort(protocol: string, port: string): void {
  if (portOf(protocol, port) === 0) throw new EgressError('port_refused', 'This port cannot be called')
}
