import { once } from 'node:events'
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net'
import { until } from '../until.ts'

/** A TCP proxy in front of a server, which a test can cut to simulate a restart or an outage. */
export interface CuttableLine {
  /** The URL of the proxy. */
  url: string
  /** Closes every connection and refuses new ones. */
  cut: () => Promise<void>
  /** Accepts connections again; to another server when `to` is given. */
  mend: (to?: string) => Promise<void>
  close: () => Promise<void>
}

/** Starts a proxy to the server of a database URL, on a free port that stays the same after a cut. */
export async function cuttableLine(databaseUrl: string): Promise<CuttableLine> {
  const target = new URL(databaseUrl)
  let upstream = addressOf(target)
  const open = new Set<Socket>()
  let listener: Server | undefined
  let port = 0
  const mend = async (to?: string) => {
    if (to !== undefined) upstream = addressOf(new URL(to))
    const next = createServer((client) => {
      const server = connect(upstream)
      for (const [socket, other] of [
        [client, server],
        [server, client],
      ] as const) {
        open.add(socket)
        socket.on('error', () => {})
        socket.on('close', () => {
          open.delete(socket)
          other.destroy()
        })
        socket.pipe(other)
      }
    })
    // While the line was cut, another process may have used the port for a moment.
    await until('the port of the line is free', () => isListening(next, port))
    port = (next.address() as { port: number }).port
    listener = next
  }
  const cut = async () => {
    if (listener === undefined) return
    const closed = once(listener, 'close')
    listener.close()
    for (const socket of open) socket.destroy()
    await closed
    listener = undefined
  }
  await mend()
  target.searchParams.delete('host')
  target.hostname = '127.0.0.1'
  target.port = String(port)
  return { url: target.href, cut, mend, close: cut }
}

async function isListening(server: Server, port: number): Promise<boolean> {
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
    throw error
  }
}

function addressOf(url: URL): NetConnectOpts {
  const folder = url.searchParams.get('host')
  const port = Number(url.port || 5432)
  return folder === null ? { port, host: url.hostname } : { path: `${folder}/.s.PGSQL.${port}` }
}
