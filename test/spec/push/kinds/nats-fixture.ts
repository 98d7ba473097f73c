import { type ConsumerMessages, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { reasonOf } from '#platform/errors.ts'
import { freePort } from '../../../harness/free-port.ts'
import { openCuttableProxy } from './cuttable-proxy.ts'
import { applyChanges, type Fixture, fresh, readChange, type Target } from './fixture.ts'
import { natsServerMissing, startNatsServer } from './nats-server.ts'

const SERVER = { host: '127.0.0.1', port: 4222 }
const closed = await freePort()

async function missing(): Promise<string | false> {
  try {
    const client = await connect({ servers: `${SERVER.host}:${SERVER.port}`, reconnect: false, timeout: 3000 })
    await jetstreamManager(client)
    await client.close()
    return false
  } catch (error) {
    return `no NATS with JetStream at 127.0.0.1:4222 (${reasonOf(error)})`
  }
}

/** JetStream, with a stream per target, read by a consumer. */
export const natsFixture: Fixture = {
  name: 'nats',
  kind: 'nats',
  skip: await missing(),
  fences: true,
  canBeCut: true,
  atomic: false,
  open: openNats,
  // Larger than the server accepts in one message.
  poison: (row) => ({ ...row, data: JSON.stringify({ text: 'x'.repeat(1024 * 1024) }) }),
  wrong: async (target) => {
    const skip = natsServerMissing
    const own = skip === false ? await startNatsServer() : undefined
    if (own !== undefined) servers.push(own.stop)
    const as = (who: string) => `nats://${who}@127.0.0.1:${own?.port ?? 0}?tls=false`
    return [
      { what: 'a wrong password', url: as('writer:letmein7'), says: /[Aa]uthorization/, skip },
      { what: 'no rights', url: as('reader:right'), says: /[Pp]ermissions [Vv]iolation/, skip },
      { what: 'no JetStream', url: as('plain:right'), says: /[Jj]et[Ss]tream/, skip },
      { what: 'a closed port', url: `nats://127.0.0.1:${closed}?tls=false`, says: /ECONNREFUSED/ },
      { what: 'no TLS at the server', url: target.url.replace('?tls=false', ''), says: /does not support 'tls'/ },
    ]
  },
}

const servers: (() => Promise<void>)[] = []

async function openNats(): Promise<Target> {
  const proxy = await openCuttableProxy(SERVER)
  const client = await connect({ servers: `${SERVER.host}:${SERVER.port}` })
  const manager = await jetstreamManager(client)
  const stream = fresh('T')
  const prefix = fresh('t')
  const messages = async () => {
    const { state } = await manager.streams.info(stream)
    if (state.messages === 0) return []
    const consumer = await jetstream(client).consumers.get(stream)
    const texts: string[] = []
    const found: ConsumerMessages = await consumer.consume()
    for await (const message of found) {
      texts.push(message.string())
      if (message.info.pending === 0) break
    }
    return texts
  }
  return {
    url: `nats://127.0.0.1:${proxy.port}?tls=false`,
    options: { stream, subject: `${prefix}.{service}.{type}` },
    read: async () => applyChanges((await messages()).map(readChange)),
    everything: async () => JSON.stringify([(await messages()).toSorted()]),
    traces: async () => {
      const names: string[] = []
      for await (const name of manager.streams.names())
        if (name.startsWith(stream) || /TEST/.test(name)) names.push(name)
      return names
    },
    order: async () =>
      (await messages())
        .map((line) => JSON.parse(line) as { op: string; id: string; seq: number })
        .filter(({ op }) => op === 'put' || op === 'delete')
        .map(({ id, seq }) => `${id}@${seq}`),
    cutAfter: proxy.cutAfter,
    wasCut: proxy.wasCut,
    close: async () => {
      for (const name of [stream, `${stream}_CHECKPOINT`]) await manager.streams.delete(name).catch(() => {})
      await client.close()
      await proxy.close()
      for (const stop of servers.splice(0)) await stop()
    },
  }
}
