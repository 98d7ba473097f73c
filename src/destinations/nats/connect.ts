import type { NatsConnection } from '@nats-io/transport-node'
import type { KindDeps } from '../contract.ts'
import type { NatsAddress } from './address.ts'
import { natsTransport } from './driver.ts'
import { CheckedNatsTransport, type NatsTransportOptions } from './transport.ts'

/** Limit: milliseconds for connecting and logging in to a NATS server, and for its response to a request. Then it fails. */
const MAX_WAIT_MS = 10_000

export function natsWaitMs({ waitMs }: KindDeps): number {
  return waitMs ?? MAX_WAIT_MS
}

/** Connects to the checked address only: other servers that the server announces are not followed. */
export async function connectNats(
  deps: KindDeps,
  { host, port, user, password, wantsPlain }: NatsAddress,
  ca: string | undefined,
  onFault: (error: Error) => void,
): Promise<NatsConnection> {
  const tls = ca === undefined ? {} : { ca }
  const options: NatsTransportOptions = {
    target: { deps, host, port, tls: wantsPlain ? undefined : tls, onFault },
    // The library requires a server; our transport connects to `target` instead.
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
  // The library has one factory for all connections, so what a connection needs is in its options.
  const { NatsConnectionImpl, setTransportFactory } = natsTransport()
  setTransportFactory({ factory: () => new CheckedNatsTransport() })
  return NatsConnectionImpl.connect(options)
}
