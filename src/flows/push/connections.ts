import type { Connection, Kind, KindDeps } from '#destinations/contract.ts'
import type { Destination, DestinationSecrets } from '#model/apps/destination.ts'
import { invalidInput } from '#model/errors.ts'
import type { Log } from '#platform/telemetry/log.ts'

/** Connections that were not used for this long are closed. */
const IDLE_MS = 60_000

interface PooledConnection {
  connection: Connection
  kind: Destination['kind']
  /** What it was opened with. When the address or an option changes, a new connection is opened. */
  fingerprint: string
  prepared: Promise<void> | undefined
  users: number
  lastUsed: number
  /** A newer one replaced it; it is closed when its last user is done. */
  isReplaced: boolean
}

/** Open connections to destinations, shared by the runs of this process and closed when idle. */
export interface Connections {
  /** Runs work on a connection that is prepared for writing. */
  use<Result>(
    destination: Destination,
    secrets: DestinationSecrets,
    work: (connection: Connection) => Promise<Result>,
  ): Promise<Result>
  kindOf(kind: Destination['kind']): Kind
  close(): Promise<void>
}

export type ConnectionsDeps = KindDeps & { log: Log }

export function createConnections(
  deps: ConnectionsDeps,
  kinds: Partial<Record<Destination['kind'], Kind>>,
): Connections {
  const pool = new Map<string, PooledConnection>()
  const kindOf = (name: Destination['kind']): Kind => {
    const kind = kinds[name]
    if (kind === undefined)
      throw invalidInput('bad_body', 'kind', `unknown kind ${name}. Known: ${Object.keys(kinds).join(', ')}.`)
    return kind
  }
  const sweep = setInterval(() => closeIdle(), IDLE_MS / 2).unref()

  /** Nothing uses the connection any more, so a failure is only logged. */
  const closeQuietly = async ({ connection, kind }: PooledConnection): Promise<void> => {
    await connection.close().catch((error: unknown) => deps.log.debug('a connection did not close', { kind, error }))
  }

  // Measured on the monotonic clock: a change of the system time must not close connections or keep them open.
  const closeIdle = () => {
    for (const [id, each] of pool) {
      if (each.users > 0 || performance.now() - each.lastUsed < IDLE_MS) continue
      pool.delete(id)
      void closeQuietly(each)
    }
  }

  function openOrReuse(destination: Destination, secrets: DestinationSecrets): PooledConnection {
    const fingerprint = JSON.stringify([secrets, destination.options, destination.kind])
    const existing = pool.get(destination.id)
    if (existing?.fingerprint === fingerprint) return existing
    if (existing !== undefined) {
      existing.isReplaced = true
      if (existing.users === 0) void closeQuietly(existing)
    }
    const opened: PooledConnection = {
      connection: kindOf(destination.kind).open(deps, destination, secrets),
      kind: destination.kind,
      fingerprint,
      prepared: undefined,
      users: 0,
      lastUsed: performance.now(),
      isReplaced: false,
    }
    pool.set(destination.id, opened)
    return opened
  }

  return {
    use: async (destination, secrets, work) => {
      const each = openOrReuse(destination, secrets)
      each.users += 1
      try {
        each.prepared ??= each.connection.prepare()
        await each.prepared
        return await work(each.connection)
      } catch (error) {
        // Prepare again next time: the tables may be missing, or the server may be another one.
        each.prepared = undefined
        throw error
      } finally {
        each.users -= 1
        each.lastUsed = performance.now()
        if (each.isReplaced && each.users === 0) void closeQuietly(each)
      }
    },
    kindOf,
    close: async () => {
      clearInterval(sweep)
      await Promise.all([...pool.values()].map(closeQuietly))
    },
  }
}
