import type { Pool, PoolClient } from 'pg'

export interface Watchdog {
  /** Until it is released, this connection may take its time. */
  exempt(client: PoolClient): void
  stop(): void
}

/**
 * Cuts connections that have waited too long for an answer; whoever asked hears that the connection was terminated. One look
 * now and then at all of them: the driver's own timeout has a timer for each statement, and those keep the rows
 * of statements that are long done from the garbage collector, at a quarter of all work.
 */
export function startWatchdog(pool: Pool, mostMs: number, onCut: () => void = () => {}): Watchdog {
  const askedAt = new Map<PoolClient, number>()
  const exempted = new WeakSet<PoolClient>()
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...what: unknown[]) => unknown
    client.query = ((...what: unknown[]) => {
      if (!exempted.has(client)) askedAt.set(client, performance.now())
      return query(...what)
    }) as PoolClient['query']
  })
  pool.on('release', (_error, client) => {
    askedAt.delete(client)
    exempted.delete(client)
  })
  pool.on('remove', (client) => askedAt.delete(client))
  const look = () => {
    const tooLong = performance.now() - mostMs
    for (const [client, at] of askedAt) {
      if (at > tooLong) continue
      askedAt.delete(client)
      onCut()
      // With a statement under way, this ends the socket at once.
      void (client as PoolClient & { end(): Promise<void> }).end()
    }
  }
  const timer = setInterval(look, mostMs / 8).unref()
  return { exempt: (client) => void exempted.add(client), stop: () => clearInterval(timer) }
}
