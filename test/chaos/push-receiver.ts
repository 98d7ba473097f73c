import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from './push-random.ts'
import { createReader } from './push-reader.ts'
import type { Target } from './push-target.ts'

interface Message {
  type: string
  data: {
    profile: { id: string; account: string } | string
    run: number
    changes?: Parameters<ReturnType<typeof createReader>['changed']>[2]
  }
}

export interface ChaosReceiver extends Target {
  /** Received messages, including refused ones. */
  messages(): number
}

/** A webhook receiver that refuses some messages. */
export async function startChaosReceiver(random: Random): Promise<ChaosReceiver> {
  const reader = createReader()
  const counts = { cuts: 0, crashes: 0, refused: 0 }
  let messages = 0
  let port = 0
  let server: Server
  let isMoody = false

  const take = ({ type, data }: Message) => {
    if (typeof data.profile === 'string') {
      if (type === 'profile.erased') reader.erased(data.profile)
      return
    }
    const { id, account } = data.profile
    reader.known(id, data.run, account)
    reader.changed(id, data.run, data.changes ?? [])
  }
  const open = async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('error', () => {})
      request.on('end', () => {
        messages += 1
        const fate = isMoody ? random.below(100) : 99
        if (fate < 2) counts.refused += 1
        // One in a hundred is refused, and one in a hundred is accepted without a response.
        if (fate === 0) return void response.writeHead(503).end()
        take(JSON.parse(Buffer.concat(chunks).toString()) as Message)
        if (fate === 1) request.socket.destroy()
        else response.writeHead(200).end()
        return undefined
      })
    }).listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as { port: number }).port
  }
  const shut = async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  await open()
  return {
    kind: 'webhook',
    url: `http://127.0.0.1:${port}/`,
    counts,
    messages: () => messages,
    disturb: async (chance) => {
      counts.cuts += 1
      server.closeAllConnections()
      await sleep(chance.below(100))
    },
    crash: async () => {
      counts.crashes += 1
      await shut()
      await sleep(random.below(500))
      await open()
    },
    misbehave: async () => {
      isMoody = true
    },
    behave: async () => {
      isMoody = false
    },
    compare: async (stored) => reader.judge(stored),
    close: shut,
  }
}
