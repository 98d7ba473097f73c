import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A line to a server on this machine that can be cut in the middle of what goes through it. */
export interface Line {
  port: number
  /** Cuts every connection once so many more bytes went to the server; new ones pass. */
  cutAfter: (bytes: number) => void
  /** Whether a cut that was asked for has happened. */
  wasCut: () => boolean
  close: () => Promise<void>
}

export async function openLine(target: { port: number; host: string } | { path: string }): Promise<Line> {
  const open = new Set<Socket>()
  let left = Number.POSITIVE_INFINITY
  let cut = false
  const server = createServer((near) => {
    const far = 'path' in target ? connect(target.path) : connect(target.port, target.host)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        other.destroy()
      })
    }
    far.pipe(near)
    near.on('data', (chunk: Buffer) => {
      if (chunk.length < left) {
        left -= chunk.length
        far.write(chunk)
        return
      }
      far.write(chunk.subarray(0, left), () => {
        for (const socket of open) socket.destroy()
      })
      left = Number.POSITIVE_INFINITY
      cut = true
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    cutAfter: (bytes) => {
      left = bytes
      cut = false
    },
    wasCut: () => cut,
    close: async () => {
      server.close()
      for (const socket of open) socket.destroy()
      await once(server, 'close')
    },
  }
}
