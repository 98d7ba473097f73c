import type { Connection, Kind, KindDeps } from '#destinations/contract.ts'
import type { Destination, DestinationKind, DestinationSecrets } from '#model/destination.ts'
import { ApiError } from '#model/errors.ts'
import type { Log } from '#platform/telemetry/log.ts'

const IDLE_MS = 60_000

interface Held {
  connection: Connection
  kind: DestinationKind
  /** What it was opened with; another address or option opens anew. */
  fingerprint: string
  prepared: Promise<void> | undefined
  users: number
  lastUsed: number
  /** Replaced by a newer one; closed when the last user leaves. */
  retired: boolean
}

/** Open ways into destinations, shared by the runs of this process and closed when nobody needs them. */
export interface Connections {
  /** Runs work on a prepared connection. */
  use<Result>(
    destination: Destination,
    secrets: DestinationSecrets,
    work: (connection: Connection) => Promise<Result>,
  ): Promise<Result>
  kindOf(kind: DestinationKind): Kind
  close(): Promise<void>
}

export type ConnectionsDeps = KindDeps & { log: Log }

export function createConnections(deps: ConnectionsDeps, kinds: Partial<Record<DestinationKind, Kind>>): Connections {
  const held = new Map<string, Held>()
  const kindOf = (name: DestinationKind): Kind => {
    const kind = kinds[name]
    if (kind === undefined)
      throw new ApiError('bad_body', `kind: ${name} is not there yet; there is ${Object.keys(kinds).join(', ')}.`)
    return kind
  }
  const sweep = setInterval(() => closeIdle(), IDLE_MS / 2).unref()

  /** Nobody uses it any more, so that its failure is only told. */
  const closeQuietly = async ({ connection, kind }: Held): Promise<void> => {
    await connection.close().catch((error: unknown) => deps.log.debug('a connection did not close', { kind, error }))
  }

  // Measured by a clock that nobody moves: idle is idle, whatever the time of day.
  const closeIdle = () => {
    for (const [id, each] of held) {
      if (each.users > 0 || performance.now() - each.lastUsed < IDLE_MS) continue
      held.delete(id)
      void closeQuietly(each)
    }
  }

  function find(destination: Destination, secrets: DestinationSecrets): Held {
    const fingerprint = JSON.stringify([secrets, destination.options, destination.kind])
    const known = held.get(destination.id)
    if (known?.fingerprint === fingerprint) return known
    if (known !== undefined) {
      known.retired = true
      if (known.users === 0) void closeQuietly(known)
    }
    const fresh: Held = {
      connection: kindOf(destination.kind).open(deps, destination, secrets),
      kind: destination.kind,
      fingerprint,
      prepared: undefined,
      users: 0,
      lastUsed: performance.now(),
      retired: false,
    }
    held.set(destination.id, fresh)
    return fresh
  }

  return {
    use: async (destination, secrets, work) => {
      const each = find(destination, secrets)
      each.users += 1
      try {
        each.prepared ??= each.connection.prepare()
        await each.prepared
        return await work(each.connection)
      } catch (error) {
        // The next one starts from the beginning: tables may be gone, the server another one.
        each.prepared = undefined
        throw error
      } finally {
        each.users -= 1
        each.lastUsed = performance.now()
        if (each.retired && each.users === 0) void closeQuietly(each)
      }
    },
    kindOf,
    close: async () => {
      clearInterval(sweep)
      await Promise.all([...held.values()].map(closeQuietly))
    },
  }
}
