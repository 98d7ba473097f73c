import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** A service that records every byte it receives and sends exactly the given bytes. */
export interface RawUpstream {
  url: string
  /** `host:port`, as in the Host header. */
  host: string
  /** Whole requests, one character per byte. */
  requests: string[]
  /** How many connections were opened. */
  connections: () => number
  /** The response to the next requests: bytes, or a function that writes them. */
  response: string | ((socket: Socket, request: string) => void)
  /** Gets every byte as it arrives, also of requests that never end. */
  onBytes?: (bytes: string) => void
  close: () => Promise<void>
}

export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

export async function startRawUpstream(address = '127.0.0.1'): Promise<RawUpstream> {
  const open = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    open.add(socket)
    socket.on('close', () => open.delete(socket)).on('error', () => {})
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      upstream.onBytes?.(chunk.toString('latin1'))
      for (let length = lengthOfFirst(received); length !== undefined; length = lengthOfFirst(received)) {
        const request = received.slice(0, length)
        received = received.slice(length)
        upstream.requests.push(request)
        if (typeof upstream.response === 'string') socket.write(upstream.response, 'latin1')
        else upstream.response(socket, request)
      }
    })
  }).listen(0, address)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const host = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
  const upstream: RawUpstream = {
    url: `http://${host}`,
    host,
    requests: [],
    connections: () => connections,
    response: OK,
    close: async () => {
      server.close()
      for (const socket of open) socket.destroy()
      await once(server, 'close')
    },
  }
  return upstream
}

/** The length of the first whole request in bytes; undefined while it is incomplete. */
function lengthOfFirst(received: string): number | undefined {
  const head = received.indexOf('\r\n\r\n')
  if (head < 0) return undefined
  const lines = received.slice(0, head).toLowerCase()
  const start = head + 4
  if (/\r\ntransfer-encoding: *chunked/.test(lines)) {
    const end = received.indexOf('\r\n0\r\n\r\n', start - 2)
    return end < 0 ? undefined : end + 7
  }
  const length = start + Number(/\r\ncontent-length: *(\d+)/.exec(lines)?.[1] ?? 0)
  return received.length < length ? undefined : length
}
