import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { cuttableLine } from '../harness/database/cuttable-line.ts'
import { freePort } from '../harness/free-port.ts'
import { createReader } from './push-reader.ts'
import type { Target } from './push-target.ts'

interface Message {
  op: string
  seq: number
  id: string
  profile: string | { id: string; account: string }
  data?: { v: number }
}

/** An app's NATS server, which can be killed. */
export async function startNats(): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-nats-'))
  const port = await freePort()
  const counts = { cuts: 0, crashes: 0, refused: 0 }
  let server = await start(folder, port)
  const line = await cuttableLine(`nats://127.0.0.1:${port}?tls=false`)

  /** Reads the whole stream from its start, as an app would. */
  const read = async () => {
    const reader = createReader()
    const client = await connect({ servers: `127.0.0.1:${port}` })
    const { state } = await (await jetstreamManager(client)).streams.info('TRIBUTARY')
    const consumer = await jetstream(client).consumers.get('TRIBUTARY')
    for await (const message of await consumer.consume()) {
      const { profile, ...change } = message.json<Message>()
      const run = Number(message.headers?.get('Tributary-Run'))
      if (typeof profile === 'object') reader.known(profile.id, run, profile.account)
      else if (change.op === 'erase') reader.erased(profile)
      else reader.changed(profile, run, [change])
      if (message.seq >= state.last_seq) break
    }
    await client.close()
    return reader
  }
  return {
    kind: 'nats',
    url: line.url,
    counts,
    disturb: async (random) => {
      counts.cuts += 1
      await line.cut()
      // The seed decides how long the outage is.
      await sleep(50 + random.below(500))
      await line.mend()
    },
    crash: async () => {
      counts.crashes += 1
      await end(server, 'SIGKILL')
      server = await start(folder, port)
    },
    // NATS cannot be made to refuse a write; its connection is cut instead.
    misbehave: async () => {},
    behave: async () => {},
    compare: async (stored) => (await read()).judge(stored),
    close: async () => {
      await line.close()
      await end(server, 'SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function start(folder: string, port: number): Promise<ChildProcess> {
  const server = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  for await (const text of createInterface(server.stderr)) {
    if (text.includes('Server is ready')) break
    if (text.includes('[FTL]')) throw new Error(text)
  }
  server.stderr.resume()
  return server
}

async function end(server: ChildProcess, how: NodeJS.Signals): Promise<void> {
  const ended = once(server, 'exit')
  server.kill(how)
  await ended
}
