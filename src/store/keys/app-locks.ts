import { createHash } from 'node:crypto'
import { type Queries, statement } from '#platform/postgres/database.ts'

// Not the row of the app: it is copied to every node of a sharded server, where two transactions that share a lock on such a
// row deadlock. Every process asks the same server, so its advisory locks exclude each other wherever the rows are.
const shareLock = statement('app-lock-shared', 'select pg_advisory_xact_lock_shared($lock::bigint)')
const exclusiveLock = statement('app-lock', 'select pg_advisory_xact_lock($lock::bigint)')
const find = statement('app-state', 'select deleting_at from app where id = $appId')

/** Apps whose hashes are equal only wait for each other. */
const lockOf = (appId: string) => createHash('sha256').update(`app ${appId}`).digest().readBigInt64BE().toString()

/**
 * Keeps the app until the transaction ends, as a foreign key would: its deletion waits for everything that is stored for it.
 * Many transactions may keep one app.
 */
export async function keepApp(tx: Queries, appId: string): Promise<'active' | 'deleting' | 'gone'> {
  await tx.rows(shareLock.with({ lock: lockOf(appId) }))
  // A statement of its own: it must see what was committed while this transaction waited.
  const [row] = await tx.rows<{ deleting_at: number | null }>(find.with({ appId }))
  return row === undefined ? 'gone' : row.deleting_at === null ? 'active' : 'deleting'
}

/** Waits for every transaction that keeps the app; until this one ends, none begins to. */
export async function lockAppExclusively(tx: Queries, appId: string): Promise<void> {
  await tx.rows(exclusiveLock.with({ lock: lockOf(appId) }))
}
