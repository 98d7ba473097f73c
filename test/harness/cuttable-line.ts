import { once } from 'node:events'
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net'

/** A line to the database that can be cut and mended, as a restarted or unreachable server is. */
export interface CuttableLine {
  url: string
  /** Ends every connection and refuses new ones. */
  cut: () => Promise<void>
  /** Whole again; to another server where one is named. */
  mend: (to?: string) => Promise<void>
  close: () => Promise<void>
}

export async function cuttableLine(databaseUrl: string): Promise<CuttableLine> {
  const target = new URL(databaseUrl)
  let far = placeOf(target)
  const open = new Set<Socket>()
  let server: Server | undefined
  let auth = 0
  const mend = async (to?: string) => {
    if (to !== undefined) far = placeOf(new URL(to))
    server = createServer((near) => {
      const beyond = connect(far)
      for (const [socket, other] of [
        [near, beyond],
        [beyond, near],
      ] as const) {
        open.add(socket)
        socket.on('error', () => {})
        socket.on('close', () => {
          open.delete(socket)
          other.destroy()
        })
        socket.pipe(other)
      }
    }).listen(auth, '127.0.0.1')
    await once(server, 'listening')
    auth = (server.address() as { port: number }).port
  }
  const cut = async () => {
    if (server === undefined) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of open) socket.destroy()
    await closed
    server = undefined
  }
  await mend()
  target.searchParams.delete('host')
  target.hostname = '127.0.0.1'
  target.port = String(auth)
  return { url: target.href, cut, mend, close: cut }
}

function placeOf(url: URL): NetConnectOpts {
  const folder = url.searchParams.get('host')
  const port = Number(url.port || 5432)
  return folder === null ? { port, host: url.hostname } : { path: `${folder}/.s.PGSQL.${port}` }
}
