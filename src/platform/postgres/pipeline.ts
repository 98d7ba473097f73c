import type { Duplex } from 'node:stream'
import type { ClientBase } from 'pg'

/** What was sent on a connection within a transaction and is not answered yet. */
export interface Pipeline {
  /** Notes a statement whose result nobody needs. If it fails, so does what is waited for next. */
  add(sent: Promise<unknown>): void
  /** Waits for a statement. Throws what made the first of those before it fail: PostgreSQL refuses all that follow. */
  wait<Result>(sent: Promise<Result>): Promise<Result>
}

/** Statements that are sent one after the other without waiting; PostgreSQL runs and answers them in that order. */
export function createPipeline(): Pipeline {
  let failure: { error: unknown } | undefined
  let earlier: Promise<void> = Promise.resolve()
  const add = (sent: Promise<unknown>) => {
    const before = earlier
    earlier = sent.then(
      () => before,
      async (error: unknown) => {
        await before
        failure ??= { error }
      },
    )
  }
  return {
    add,
    wait: async (sent) => {
      add(sent)
      const all = earlier
      // Settles after `sent`, and throws nothing.
      await all
      if (failure !== undefined) throw failure.error
      return sent
    },
  }
}

/** What is sent until nothing else can run goes out in one write. */
export function writeTogether(client: ClientBase): void {
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection
  if (stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}
