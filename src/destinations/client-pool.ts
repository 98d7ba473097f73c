import type { CheckedSocket } from './checked-socket.ts'

/** Limit: connections to one database of an app at a time; whoever comes next waits for one of them. */
const MAX_CONNECTIONS = 3
const IDLE_MS = 30_000

/** A driver's client and the line it speaks over. */
export interface OpenClient<Client> {
  client: Client
  line: CheckedSocket
}

export interface ClientSource<Client> {
  /** Begins to connect; `ready` settles when the server has let us in. */
  open(): OpenClient<Client> & { ready: Promise<unknown> }
  /** Makes a client usable again after work failed; without it such a client is closed. */
  recover?: (client: Client) => Promise<unknown>
  /** Says goodbye to the server; the line then closes by itself. */
  end(client: Client): void
}

export interface ClientPool<Client> {
  /** Runs work on a client of its own. The line of one that failed is closed. */
  use<Result>(work: (client: Client) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** A few connections, kept for a while. Drivers' own pools lose those whose server misbehaves while they connect. */
export function createClientPool<Client>(source: ClientSource<Client>): ClientPool<Client> {
  const idle: (OpenClient<Client> & { timer: NodeJS.Timeout })[] = []
  const waiting: (() => void)[] = []
  let inUse = 0
  let isClosed = false

  const connect = async (): Promise<OpenClient<Client>> => {
    const { ready, ...opened } = source.open()
    try {
      await untilClosed(opened.line, ready)
      return opened
    } catch (error) {
      opened.line.destroy()
      throw error
    }
  }

  const takeIdle = (): OpenClient<Client> | undefined => {
    for (let each = idle.pop(); each !== undefined; each = idle.pop()) {
      clearTimeout(each.timer)
      if (!each.line.destroyed) return each
    }
    return undefined
  }

  const end = async ({ client, line }: OpenClient<Client>): Promise<void> => {
    if (line.destroyed) return
    const closed = new Promise<void>((resolve) => line.once('close', () => resolve()))
    source.end(client)
    await closed
  }

  const keep = ({ client, line }: OpenClient<Client>): void => {
    if (line.destroyed) return
    if (isClosed) {
      void end({ client, line })
      return
    }
    const timer = setTimeout(() => {
      idle.splice(idle.indexOf(kept), 1)
      void end(kept)
    }, IDLE_MS).unref()
    const kept = { client, line, timer }
    idle.push(kept)
  }

  const run = async <Result>(work: (client: Client) => Promise<Result>): Promise<Result> => {
    if (isClosed) throw new Error('The connection to the destination is closed')
    const opened = takeIdle() ?? (await connect())
    const { client, line } = opened
    try {
      const result = await untilClosed(line, work(client))
      keep(opened)
      return result
    } catch (error) {
      try {
        if (source.recover === undefined || line.destroyed) throw error
        await untilClosed(line, source.recover(client))
        keep(opened)
      } catch {
        // The first error is thrown below; a line that cannot be recovered is not used again.
        line.destroy()
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
      const kept = idle.splice(0)
      for (const { timer } of kept) clearTimeout(timer)
      await Promise.all(kept.map(end))
    },
  }
}

/** A driver may never settle what it was asked when its line closes at an odd moment. */
function untilClosed<Result>(line: CheckedSocket, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    // The driver's own words are better, and come a little later.
    const closed = () => setImmediate(() => reject(line.errored ?? new Error('The server closed the connection')))
    line.once('close', closed)
    if (line.closed) closed()
    work.then(resolve, reject).finally(() => line.off('close', closed))
  })
}
