import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A client that sends exactly the given bytes, at any speed. */
export interface RawClient {
  socket: Socket
  send: (bytes: string) => void
  /** Everything received until the other side closed the connection. */
  ended: Promise<string>
}

export async function rawClient(url: string): Promise<RawClient> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let received = ''
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1')
  })
  // Several tests wait for a close while the client still sends.
  socket.on('error', () => {})
  const ended = new Promise<string>((resolve) => socket.on('close', () => resolve(received)))
  await once(socket, 'connect')
  return { socket, ended, send: (bytes) => void socket.write(bytes, 'latin1') }
}

/** One exchange on a connection of its own. */
export async function exchange(url: string, bytes: string): Promise<{ status: number; head: string; body: string }> {
  const client = await rawClient(url)
  client.send(bytes)
  const text = await client.ended
  const [head = '', ...rest] = text.split('\r\n\r\n')
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0),
    head: head.toLowerCase(),
    body: rest.join('\r\n\r\n'),
  }
}
