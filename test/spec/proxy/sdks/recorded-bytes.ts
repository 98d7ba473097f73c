import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

/**
 * Records what this process sends through sockets that it opens from now on, without TLS, as it is on the wire: for servers of
 * others, which keep no log of requests. A character is a byte.
 */
export function recordBytes(): { to: (port: number) => string; stop: () => void } {
  const sent: { port: number | undefined; chunks: Buffer[] }[] = []
  const onSocket = (message: unknown) => {
    const { socket } = message as { socket: Socket }
    // Connecting sets the method again, so that it can be replaced only then.
    socket.once('connect', () => {
      const chunks: Buffer[] = []
      sent.push({ port: socket.remotePort, chunks })
      const write = socket.write.bind(socket) as (...given: unknown[]) => boolean
      socket.write = (...given: unknown[]) => {
        const [chunk, encoding] = given as [string | Uint8Array, BufferEncoding | undefined]
        chunks.push(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk))
        return write(...given)
      }
    })
  }
  subscribe('net.client.socket', onSocket)
  return {
    to: (port) =>
      sent
        .filter((each) => each.port === port)
        .map(({ chunks }) => Buffer.concat(chunks).toString('latin1'))
        .join('\n'),
    stop: () => unsubscribe('net.client.socket', onSocket),
  }
}
