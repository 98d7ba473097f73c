import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { nodeHttp } from '#platform/node-http.ts'

/** A listening server. */
export interface Listener {
  server: Server
  /** Returns the address, with the port that the operating system chose if it is 0. */
  listen(at: Address): Promise<string>
  /** Listens at a further address, whose requests `respond` gets with this name. Returns the port. */
  listenAs(name: string, at: Address): Promise<number>
  /** Ends connections: all, or those on which no request is in progress. */
  closeConnections(which: 'all' | 'idle'): void
  /** Accepts nothing more. Resolves when the last response was sent and `onClose` ran, the newest first. May be called twice. */
  close(): Promise<void>
  onClose(end: () => void | Promise<void>): void
  isClosing(): boolean
}

interface Address {
  port: number
  host: string
}

type Respond = (request: IncomingMessage, response: ServerResponse, name: string | undefined) => void

/** Limit: bytes of the headers of a request; more is answered with 431. */
const MAX_HEADER_BYTES = 16 * 1024
const OPTIONS = {
  requestTimeout: 60_000,
  headersTimeout: 10_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: MAX_HEADER_BYTES,
  connectionsCheckingInterval: 2000,
}

export function createListener(respond: Respond, onUnreadable: (error: Error, socket: Socket) => void): Listener {
  const create = (name?: string) =>
    nodeHttp
      .createServer(OPTIONS, (request, response) => respond(request, response, name))
      .on('clientError', onUnreadable)
  const server = create()
  const servers = [server]
  const ends: (() => void | Promise<void>)[] = []
  let closing: Promise<void> | undefined
  const close = async () => {
    // Also one that never listened.
    await Promise.all(servers.map((each) => new Promise((resolve) => each.close(resolve))))
    for (const end of ends.toReversed()) await end()
  }
  const listen = async (first: Server, { port, host }: Address, name?: string): Promise<AddressInfo> => {
    await once(first.listen({ port, host }), 'listening')
    const info = first.address() as AddressInfo
    // The name stands for addresses of two families, and browsers choose either.
    const all = host === 'localhost' ? await lookup(host, { all: true }) : []
    for (const other of all)
      if (other.address !== info.address) servers.push(await tryToListen(create(name), other.address, info.port))
    return info
  }
  return {
    server,
    listen: async (at) => {
      const { address, port } = await listen(server, at)
      return `http://${address.includes(':') ? `[${address}]` : address}:${port}`
    },
    listenAs: async (name, at) => {
      const further = create(name)
      servers.push(further)
      return (await listen(further, at, name)).port
    },
    closeConnections: (which) => {
      for (const each of servers)
        if (which === 'all') each.closeAllConnections()
        else each.closeIdleConnections()
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
