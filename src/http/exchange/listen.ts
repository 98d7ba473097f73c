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
  const servers = [create()]
  const [server] = servers as [Server]
  const ends: (() => void | Promise<void>)[] = []
  let closing: Promise<void> | undefined
  const close = async () => {
    // Also one that never listened.
    await Promise.all(servers.map((each) => new Promise((resolve) => each.close(resolve))))
    for (const end of ends.toReversed()) await end()
  }
  return {
    server,
    listen: async ({ port, host }) => {
      await once(server.listen({ port, host }), 'listening')
      const { address, port: chosen } = server.address() as AddressInfo
      // The name stands for addresses of two families, and browsers choose either.
      const all = host === 'localhost' ? await lookup(host, { all: true }) : []
      for (const other of all)
        if (other.address !== address) servers.push(await tryToListen(create(), other.address, chosen))
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

async function tryToListen(server: Server, host: string, port: number): Promise<Server> {
  try {
    await once(server.listen({ port, host }), 'listening')
  } catch {
    // One address is enough: this machine may not have the other one.
  }
  return server
}
