import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

export interface HostileServer {
  port: number
  /** Open connections. */
  open: () => number
  /** All connections so far. */
  made: () => number
  stop: () => Promise<void>
}

/** How a server writes and how it ends the connection. */
export interface BucketPolicy {
  /** Bytes per write; 0 for all at once. */
  chunk: number
  ends: 'stays' | 'closes' | 'resets'
}

/** A server on its own port with a handler for each connection. */
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

/** Writes a text in chunks, each of which may arrive separately. */
export async function say(socket: Socket, bytes: string, chunk: number): Promise<void> {
  socket.setNoDelay(true)
  const all = Buffer.from(bytes, 'latin1')
  // A million writes of one byte would only test the server.
  const size = chunk === 0 ? all.length : Math.max(chunk, Math.ceil(all.length / 200))
  for (let at = 0; at < all.length && !socket.destroyed; at += size) {
    if (!socket.write(all.subarray(at, at + size))) await once(socket, 'drain').catch(() => {})
    if (chunk > 0) await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Writes the same bytes repeatedly until the other side closes the connection. */
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
