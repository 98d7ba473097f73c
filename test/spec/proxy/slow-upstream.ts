import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** A service that accepts connections and reads nothing until it is resumed. */
export interface SlowUpstream {
  url: string
  /** The next connection. */
  connected: () => Promise<Socket>
  read: (socket: Socket) => void
  bytes: (socket: Socket) => number
  close: () => Promise<void>
}

export async function startSlowUpstream(): Promise<SlowUpstream> {
  const open = new Set<Socket>()
  const arrived: Socket[] = []
  let waiting: ((socket: Socket) => void) | undefined
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket)).on('error', () => {})
    if (waiting === undefined) arrived.push(socket)
    else waiting(socket)
    waiting = undefined
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connected: () => {
      const socket = arrived.shift()
      if (socket !== undefined) return Promise.resolve(socket)
      return new Promise((resolve) => {
        waiting = resolve
      })
    },
    read: (socket) => void socket.resume(),
    bytes: (socket) => socket.bytesRead,
    close: async () => {
      server.close()
      for (const socket of open) socket.destroy()
      await once(server, 'close')
    },
  }
}
