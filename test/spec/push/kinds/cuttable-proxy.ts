import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A TCP proxy to a server on this machine that can close connections after a number of bytes. */
export interface CuttableProxy {
  port: number
  /** Closes every connection after this many more bytes to the server; later connections work. */
  cutAfter: (bytes: number) => void
  /** Whether the connections were closed since the last cutAfter(). */
  wasCut: () => boolean
  close: () => Promise<void>
}

export async function openCuttableProxy(
  target: { port: number; host: string } | { path: string },
): Promise<CuttableProxy> {
  const open = new Set<Socket>()
  let left = Number.POSITIVE_INFINITY
  let cut = false
  const server = createServer((near) => {
    const far = 'path' in target ? connect(target.path) : connect(target.port, target.host)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        other.destroy()
      })
    }
    far.pipe(near)
    near.on('data', (chunk: Buffer) => {
      if (chunk.length < left) {
        left -= chunk.length
        far.write(chunk)
        return
      }
      far.write(chunk.subarray(0, left), () => {
        for (const socket of open) socket.destroy()
      })
      left = Number.POSITIVE_INFINITY
      cut = true
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    cutAfter: (bytes) => {
      left = bytes
      cut = false
    },
    wasCut: () => cut,
    close: async () => {
      server.close()
      for (const socket of open) socket.destroy()
      await once(server, 'close')
    },
  }
}

/** A proxy to a database, with its address over TCP: the embedded server listens on a socket in a folder. */
export async function openDatabaseProxy(url: string): Promise<CuttableProxy & { url: string }> {
  const server = new URL(url)
  const folder = server.searchParams.get('host')
  const port = Number(server.port || 5432)
  const proxy = await openCuttableProxy(
    folder === null ? { port, host: server.hostname } : { path: `${folder}/.s.PGSQL.${port}` },
  )
  const password = server.password === '' ? '' : `:${server.password}`
  const address = `postgres://${server.username || 'postgres'}${password}@127.0.0.1:${proxy.port}${server.pathname}`
  return { ...proxy, url: `${address}?sslmode=disable` }
}
