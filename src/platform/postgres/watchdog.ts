import type { Duplex } from 'node:stream'
import type { Pool, PoolClient } from 'pg'

export interface Watchdog {
  /** Does not watch this connection until it is released. */
  exempt(client: PoolClient): void
  stop(): void
}

/**
 * Closes connections whose statement takes too long; the caller gets an error that the connection was terminated. One timer
 * checks all connections: the driver's own timeout creates a timer per statement, which keeps the rows of finished statements
 * from being collected and costs a quarter of all work.
 */
export function startWatchdog(pool: Pool, timeoutMs: number, onTimeout: () => void = () => {}): Watchdog {
  const startedAt = new Map<PoolClient, number>()
  const exempted = new WeakSet<PoolClient>()
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...parameters: unknown[]) => unknown
    client.query = ((...parameters: unknown[]) => {
      if (!exempted.has(client)) startedAt.set(client, performance.now())
      return query(...parameters)
    }) as PoolClient['query']
  })
  pool.on('release', (_error, client) => {
    startedAt.delete(client)
    exempted.delete(client)
  })
  pool.on('remove', (client) => startedAt.delete(client))
  const check = () => {
    const deadline = performance.now() - timeoutMs
    for (const [client, at] of startedAt) {
      if (at > deadline) continue
      startedAt.delete(client)
      onTimeout()
      const { connection } = client as unknown as { connection: { stream: Duplex } }
      // The driver's own end waits for the statement.
      connection.stream.destroy()
    }
  }
  const timer = setInterval(check, timeoutMs / 8).unref()
  return { exempt: (client) => void exempted.add(client), stop: () => clearInterval(timer) }
}
