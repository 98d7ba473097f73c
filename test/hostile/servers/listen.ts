import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

export interface HostileServer {
  port: number
  /** Connections that are open now. */
  open: () => number
  /** Connections there ever were. */
  made: () => number
  stop: () => Promise<void>
}

/** How a server writes and how it ends what it has to say. */
export interface BucketPolicy {
  /** So many bytes at once; 0 for all of it. */
  chunk: number
  ends: 'stays' | 'closes' | 'resets'
}

/** A server on a port of its own that does with each connection what it likes. */
export async function listenHostile(serve: (socket: Socket) => void): Promise<HostileServer> {
  const open = new Set<Socket>()
  let made = 0
  const server = createServer((socket) => {
    made += 1
    open.add(socket)
    socket.on('error', () => {}).on('close', () => open.delete(socket))
    serve(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    open: () => open.size,
    made: () => made,
    stop: async () => {
      server.close()
      for (const socket of open) socket.destroy()
      if (server.listening) await once(server, 'close')
    },
  }
}

/** Writes a text, byte for byte, in pieces; each piece may arrive by itself. */
export async function say(socket: Socket, bytes: string, chunk: number): Promise<void> {
  socket.setNoDelay(true)
  const all = Buffer.from(bytes, 'latin1')
  // A million writes of one byte would test the server alone.
  const size = chunk === 0 ? all.length : Math.max(chunk, Math.ceil(all.length / 200))
  for (let at = 0; at < all.length && !socket.destroyed; at += size) {
    if (!socket.write(all.subarray(at, at + size))) await once(socket, 'drain').catch(() => {})
    if (chunk > 0) await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Writes the same bytes again and again until the other side ends the connection. */
export function flood(socket: Socket, bytes: Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(bytes));
  }
  socket.on('drain', more)
  more()
}

export function finish(socket: Socket, { ends }: BucketPolicy): void {
  if (ends === 'closes') socket.end()
  else if (ends === 'resets') socket.resetAndDestroy()
}
