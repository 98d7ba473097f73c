import { isIP } from 'node:net'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { ApiError } from '#model/errors.ts'
import type { KindNeed } from '../destination.ts'
import { checkPort, decoded, hostOf } from './network-address.ts'

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

/** Connects to the very addresses that were checked: names that the server tells later are not followed. */
export async function connectNats(
  { egress }: KindNeed,
  { host, port, user, password, wantsPlain }: NatsAddress,
  ca: string | undefined,
): Promise<NatsConnection> {
  const addresses = await egress.lookup(host, { plain: wantsPlain })
  // The name in the address is what the certificate must say, not the number we connect to.
  const name = isIP(host) === 0 ? { servername: host } : { host }
  const tls = { ...name, rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) }
  return connect({
    servers: addresses.map(({ address, family }) => `${family === 6 ? `[${address}]` : address}:${port}`),
    name: 'tributary push',
    timeout: 10_000,
    noRandomize: true,
    resolve: false,
    ignoreClusterUpdates: true,
    reconnect: false,
    pingInterval: 20_000,
    tls: wantsPlain ? null : tls,
    ...(user === '' ? {} : password === '' ? { token: user } : { user, pass: password }),
  })
}
