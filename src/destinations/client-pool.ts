import type { CheckedSocket } from './checked-socket.ts'

/** Limit: connections to one database of an app at a time; further work waits for one of them. */
const MAX_CONNECTIONS = 3
const IDLE_MS = 30_000

/** A driver's client and the socket that it uses. */
export interface OpenClient<Client> {
  client: Client
  socket: CheckedSocket
}

export interface ClientSource<Client> {
  /** Starts connecting; `ready` resolves when the login is done. */
  open(): OpenClient<Client> & { ready: Promise<unknown> }
  /** Makes a client usable again after work failed; without it such a client is closed. */
  recover?: (client: Client) => Promise<unknown>
  /** Asks the server to end the connection; the socket then closes by itself. */
  end(client: Client): void
}

export interface ClientPool<Client> {
  /** Runs work with exclusive use of a client. If the work fails and the client cannot recover, its socket is closed. */
  use<Result>(work: (client: Client) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** A few connections, reused for a while. The drivers' own pools leak connections whose server fails during the login. */
export function createClientPool<Client>(source: ClientSource<Client>): ClientPool<Client> {
  const idle: (OpenClient<Client> & { timer: NodeJS.Timeout })[] = []
  const waiting: (() => void)[] = []
  let inUse = 0
  let isClosed = false

  const connect = async (): Promise<OpenClient<Client>> => {
    const { ready, ...opened } = source.open()
    try {
      await untilClosed(opened.socket, ready)
      return opened
    } catch (error) {
      opened.socket.destroy()
      throw error
    }
  }

  const takeIdle = (): OpenClient<Client> | undefined => {
    for (let each = idle.pop(); each !== undefined; each = idle.pop()) {
      clearTimeout(each.timer)
      if (!each.socket.destroyed) return each
    }
    return undefined
  }

  const end = async ({ client, socket }: OpenClient<Client>): Promise<void> => {
    if (socket.destroyed) return
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    source.end(client)
    await closed
  }

  const release = ({ client, socket }: OpenClient<Client>): void => {
    if (socket.destroyed) return
    if (isClosed) {
      void end({ client, socket })
      return
    }
    const timer = setTimeout(() => {
      idle.splice(idle.indexOf(released), 1)
      void end(released)
    }, IDLE_MS).unref()
    const released = { client, socket, timer }
    idle.push(released)
  }

  const run = async <Result>(work: (client: Client) => Promise<Result>): Promise<Result> => {
    if (isClosed) throw new Error('The connection to the destination is closed')
    const opened = takeIdle() ?? (await connect())
    const { client, socket } = opened
    try {
      const result = await untilClosed(socket, work(client))
      release(opened)
      return result
    } catch (error) {
      try {
        if (source.recover === undefined || socket.destroyed) throw error
        await untilClosed(socket, source.recover(client))
        release(opened)
      } catch {
        // The first error is thrown below; a connection that cannot recover is not used again.
        socket.destroy()
      }
      throw error
    }
  }

  return {
    use: async (work) => {
      if (inUse >= MAX_CONNECTIONS) await new Promise<void>((resolve) => waiting.push(resolve))
      else inUse += 1
      try {
        return await run(work)
      } finally {
        const next = waiting.shift()
        if (next === undefined) inUse -= 1
        else next()
      }
    },
    close: async () => {
      isClosed = true
      const closing = idle.splice(0)
      for (const { timer } of closing) clearTimeout(timer)
      await Promise.all(closing.map(end))
    },
  }
}

/** Fails when the socket closes: a driver may otherwise leave its promise pending. */
function untilClosed<Result>(socket: CheckedSocket, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    // The driver's own error says more, and comes a little later.
    const closed = () => setImmediate(() => reject(socket.errored ?? new Error('The server closed the connection')))
    socket.once('close', closed)
    if (socket.closed) closed()
    work.then(resolve, reject).finally(() => socket.off('close', closed))
  })
}
