import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Random } from './push-random.ts'

interface Change {
  op: 'put' | 'delete'
  seq: number
  id: string
  data?: { v: number }
}

interface Held {
  seq: number
  /** Undefined: deleted. */
  v: number | undefined
}

/** What an app would make of the messages: of each item the newest, of an erased profile nothing. */
export interface ChaosReceiver {
  url: string
  profiles: Map<string, Map<string, Held>>
  erased: Set<string>
  counts: { messages: number; refused: number; repeats: number; late: number; disordered: number }
  close: () => Promise<void>
}

export async function startChaosReceiver(random: Random): Promise<ChaosReceiver> {
  const profiles: ChaosReceiver['profiles'] = new Map()
  const erased = new Set<string>()
  const counts = { messages: 0, refused: 0, repeats: 0, late: 0, disordered: 0 }
  const newest = new Map<string, { run: number; seq: number }>()

  const take = (type: string, data: { profile: { id: string } | string; run: number; changes?: Change[] }) => {
    const id = typeof data.profile === 'string' ? data.profile : data.profile.id
    if (type === 'profile.erased') {
      erased.add(id)
      profiles.delete(id)
      return
    }
    const place = newest.get(id) ?? { run: 0, seq: 0 }
    // An older run that was frozen: the newer one has sent the same, or better.
    if (data.run < place.run || erased.has(id)) {
      counts.late += 1
      return
    }
    const held = profiles.get(id) ?? new Map<string, Held>()
    profiles.set(id, held)
    let { seq } = place
    for (const change of data.changes ?? []) {
      if (change.seq <= (held.get(change.id)?.seq ?? 0)) {
        counts.repeats += 1
        continue
      }
      if (change.seq <= seq) counts.disordered += 1
      seq = Math.max(seq, change.seq)
      held.set(change.id, { seq: change.seq, v: change.op === 'put' ? change.data!.v : undefined })
    }
    newest.set(id, { run: data.run, seq })
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      counts.messages += 1
      const fate = random.below(100)
      // One in a hundred is refused, and one in a hundred is taken although the sender never learns of it.
      if (fate === 0) {
        counts.refused += 1
        response.writeHead(503).end()
        return
      }
      const { type, data } = JSON.parse(Buffer.concat(chunks).toString()) as Parameters<typeof wrap>[0]
      wrap({ type, data })
      if (fate === 1) {
        counts.refused += 1
        request.socket.destroy()
      } else response.writeHead(200).end()
    })
    request.on('error', () => {})
  }).listen(0, '127.0.0.1')
  const wrap = ({ type, data }: { type: string; data: Parameters<typeof take>[1] }) => take(type, data)
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}/`,
    profiles,
    erased,
    counts,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
