import { type NatsConnection, NatsConnectionImpl, setTransportFactory } from '@nats-io/transport-node'
import { ApiError } from '#model/errors.ts'
import type { KindDeps } from '../contract.ts'
import { checkPort, decoded, hostOf } from '../network-address.ts'
import { GuardedNatsTransport, type NatsSocketOptions } from './transport.ts'

export interface NatsAddress {
  host: string
  port: number
  user: string
  password: string
  /** Without TLS: only on a private network that the operator opened. */
  wantsPlain: boolean
}

export function natsAddress(text: string): NatsAddress {
  const bad = (why: string) => new ApiError('bad_body', `url: ${why}.`)
  const url = URL.parse(text)
  if (url?.protocol !== 'nats:') throw bad('must look like nats://user:password@host:4222')
  const host = hostOf(url)
  if ((url.pathname !== '' && url.pathname !== '/') || url.hash !== '') throw bad('must end with the port')
  for (const name of url.searchParams.keys()) if (name !== 'tls') throw bad(`“${name}” is not allowed; known is tls`)
  const tls = url.searchParams.get('tls') ?? 'true'
  if (tls !== 'true' && tls !== 'false') throw bad('tls must be true or false')
  return {
    host,
    port: checkPort(url.port === '' ? 4222 : Number(url.port), [443]),
    user: decoded(url.username),
    password: decoded(url.password),
    wantsPlain: tls === 'false',
  }
}

/** Limit: milliseconds until a NATS server has greeted us and taken our name, and until it answers a request. Then it failed. */
const MAX_WAIT_MS = 10_000

export function natsWaitMs({ waitMs }: KindDeps): number {
  return waitMs ?? MAX_WAIT_MS
}

/** Connects to addresses that were checked, once: names that the server tells later are not followed. */
export async function connectNats(
  deps: KindDeps,
  { host, port, user, password, wantsPlain }: NatsAddress,
  ca: string | undefined,
  noteFault: (error: Error) => void,
): Promise<NatsConnection> {
  const tls = ca === undefined ? {} : { ca }
  const options: NatsSocketOptions = {
    line: { deps, host, port, tls: wantsPlain ? undefined : tls, noteFault },
    // The library wants one; our transport connects to the line.
    servers: 'destination:4222',
    name: 'tributary push',
    timeout: natsWaitMs(deps),
    noRandomize: true,
    resolve: false,
    ignoreClusterUpdates: true,
    reconnect: false,
    noAsyncTraces: true,
    pingInterval: 20_000,
    tls: wantsPlain ? null : {},
    ...(user === '' ? {} : password === '' ? { token: user } : { user, pass: password }),
  }
  // The library keeps one factory for all connections; what a connection needs is in its options.
  setTransportFactory({ factory: () => new GuardedNatsTransport() })
  return NatsConnectionImpl.connect(options)
}
