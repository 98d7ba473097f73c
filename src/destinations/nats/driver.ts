import { createRequire } from 'node:module'
import type * as JetStream from '@nats-io/jetstream'
import type * as Transport from '@nats-io/transport-node'

// Loaded at the first connection: the request process has every kind of destination, and rarely connects to one.
const requireModule = createRequire(import.meta.url)

export const jetstream = () => requireModule('@nats-io/jetstream') as typeof JetStream
export const natsTransport = () => requireModule('@nats-io/transport-node') as typeof Transport
