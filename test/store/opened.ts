import { type Database, openDatabase } from '#platform/postgres/database.ts'
import { createLog } from '#platform/telemetry/log.ts'
import {
  emptyClusterDatabase,
  freshDatabase,
  preparedDatabase,
  type TestDatabase,
} from '../harness/database/database.ts'

export const quiet = createLog({ level: 'silent', format: 'json', clock: { now: () => 0 }, write: () => {} })

export interface Opened {
  url: string
  database: Database
  /** Another pool on the same database, like that of another process. */
  another: (options?: { prepared?: boolean; pool?: number; url?: string; idleTransactionMs?: number }) => Database
  close: () => Promise<void>
}

/** An empty database of its own, and pools on it that all close at the end. */
export async function openFresh(): Promise<Opened> {
  return open(await freshDatabase())
}

/** The same from the template with our tables, where the runner made one; the caller still migrates. */
export async function openPrepared(): Promise<Opened> {
  return open(await preparedDatabase())
}

/** An empty database on all nodes of a sharded server. */
export async function openEmptyCluster(): Promise<Opened> {
  return open(await emptyClusterDatabase())
}

function open({ url, drop }: TestDatabase): Opened {
  const pools: Database[] = []
  const another: Opened['another'] = (options = {}) => {
    const pool = openDatabase({ url, pool: 4, prepared: true, log: quiet, ...options })
    pools.push(pool)
    return pool
  }
  return {
    url,
    database: another(),
    another,
    close: async () => {
      await Promise.all(pools.map((pool) => pool.close()))
      await drop()
    },
  }
}
