import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { nodeHttp } from '#platform/node-http.ts'

/** A listening server. */
export interface Listener {
  server: Server
  /** Returns the address, with the port that the operating system chose if it is 0. */
  listen(at: { port: number; host: string }): Promise<string>
  /** Accepts nothing more. Resolves when the last response was sent and `onClose` ran, the newest first. May be called twice. */
  close(): Promise<void>
  onClose(end: () => void | Promise<void>): void
  isClosing(): boolean
}

/** Limit: bytes of the headers of a request; more is answered with 431. */
const MAX_HEADER_BYTES = 16 * 1024
const OPTIONS = {
  requestTimeout: 60_000,
  headersTimeout: 10_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: MAX_HEADER_BYTES,
  connectionsCheckingInterval: 2000,
}

export function createListener(
  respond: RequestListener,
  onUnreadable: (error: Error, socket: Socket) => void,
): Listener {
  const create = () => nodeHttp.createServer(OPTIONS, respond).on('clientError', onUnreadable)
  const server = create()
  const others: Server[] = []
  const ends: (() => void | Promise<void>)[] = []
  let closing: Promise<void> | undefined
  const close = async () => {
    await Promise.all([server, ...others].map(closeOne))
    for (const end of ends.toReversed()) await end()
  }
  return {
    server,
    listen: async ({ port, host }) => {
      await listenAt(server, port, host)
      const { address, port: chosen } = server.address() as AddressInfo
      // The name stands for addresses of two families, and browsers choose either.
      if (host === 'localhost') others.push(...(await listenAtOthers(create, address, chosen)))
      return `http://${address.includes(':') ? `[${address}]` : address}:${chosen}`
    },
    close: () => {
      closing ??= close()
      return closing
    },
    onClose: (end) => ends.push(end),
    isClosing: () => closing !== undefined,
  }
}

async function listenAt(server: Server, port: number, host: string): Promise<void> {
  await once(server.listen({ port, host }), 'listening')
}

async function listenAtOthers(create: () => Server, known: string, port: number): Promise<Server[]> {
  const opened: Server[] = []
  for (const { address } of await lookup('localhost', { all: true })) {
    if (address === known) continue
    const server = create()
    try {
      await listenAt(server, port, address)
      opened.push(server)
    } catch {
      // One address is enough: this machine may not have the other one.
    }
  }
  return opened
}

/** Resolves also for a server that never listened. */
function closeOne(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}
