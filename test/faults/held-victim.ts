import assert from 'node:assert/strict'
import { Client } from 'pg'
import { waitingConnections } from '../harness/database/cluster.ts'
import type { Sql } from '../harness/database/sql.ts'
import { LOOPBACK } from '../harness/loopback.ts'
import { type RunningProcess, startProcess } from '../harness/running.ts'
import { until } from '../harness/until.ts'

/** How a transaction is interrupted: its process is killed, or its connection is cut. */
export type Interruption = 'process' | 'connection'

/** A name by which its connections are told from those of the test. */
const APPLICATION = 'victim'
export const ADMIN_TOKEN = 'tra_test-admin-token-0123456789'

/** A service in a process of its own, which tests interrupt in the middle of a transaction. */
export interface Victim {
  url: () => string
  start: () => Promise<void>
  stop: (signal?: NodeJS.Signals) => Promise<void>
  /** Holds `table`, begins `work`, and interrupts when a transaction of the victim waits there after it has locked or written rows. */
  interrupt: (table: string, how: Interruption, work: () => Promise<unknown>) => Promise<void>
  /** The same between two transactions: kills the process when anything of it waits for `table` and `isReached`. */
  killAt: (table: string, work: () => Promise<unknown>, isReached: () => Promise<boolean>) => Promise<void>
}

export function createVictim(database: { url: string }, sql: Sql, env: Record<string, string>): Victim {
  let running: RunningProcess | undefined
  const own = new URL(database.url)
  own.searchParams.set('application_name', APPLICATION)
  const start = async () => {
    running ??= await startProcess(['serve'], {
      DATABASE_URL: own.href,
      PORT: '0',
      TRIBUTARY_ADMIN_TOKEN: ADMIN_TOKEN,
      TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
      ...env,
    })
  }
  const stop = async (signal: NodeJS.Signals) => {
    if (running === undefined) return
    const { child, end } = running
    running = undefined
    if (signal === 'SIGKILL') process.kill(-child.pid!, signal)
    await end(signal)
  }
  const waiting = async () => {
    const rows = await sql<{ pid: number }>(waitingConnections({ writes: true }), [APPLICATION])
    return rows.map(({ pid }) => pid)
  }

  const held = async () => {
    const rows = await sql<{ pid: number }>(waitingConnections({ writes: false }), [APPLICATION])
    return rows.map(({ pid }) => pid)
  }
  const hold = async (table: string) => {
    const holder = new Client({ connectionString: database.url })
    holder.on('error', () => {})
    await holder.connect()
    await holder.query(`begin; lock table ${table} in access exclusive mode`)
    return async () => {
      await holder.query('commit')
      await holder.end()
    }
  }

  return {
    url: () => running!.document['url']!,
    start,
    stop: (signal = 'SIGTERM') => stop(signal),
    interrupt: async (table, how, work) => {
      const release = await hold(table)
      let early: unknown
      const worked = work().then(
        (result) => (early = result),
        (error: unknown) => (early = error),
      )
      const ended: number[] = []
      try {
        ended.push(
          ...(await until(`a transaction waits for ${table}`, async () => {
            const found = await waiting()
            if (found.length > 0) return found
            // A deletion is only requested here; a worker of the victim does it later.
            if (!isResponse(early)) return undefined
            throw new Error(`It ended before: ${early.status} ${early.headers.get('location')} ${await early.text()}`)
          })),
        )
        if (how === 'process') await stop('SIGKILL')
        // The victim's workers may wait there too: every connection that waits is ended, until that of the request was.
        else
          await until('the request has ended', async () => {
            for (const pid of await waiting()) {
              ended.push(pid)
              await sql('select pg_terminate_backend($1::int)', [pid])
            }
            return early !== undefined
          })
      } finally {
        await release()
      }
      await until('its connections have ended', async () => {
        return (await sql('select 1 from pg_stat_activity where pid = any($1)', [ended])).length === 0
      })
      const result = await worked
      if (how === 'connection' && isResponse(result)) assert.ok(result.status >= 500, String(result.status))
    },
    killAt: async (table, work, isReached) => {
      const release = await hold(table)
      const worked = work().then(
        (result) => assert.fail(`It ended before the process was killed: ${String(result)}`),
        () => undefined,
      )
      try {
        await Promise.race([
          worked,
          until(`something waits for ${table}`, async () => (await held()).length > 0 && (await isReached())),
        ])
        await stop('SIGKILL')
        // What waits in the server would go on without its client.
        for (const pid of await held()) await sql('select pg_terminate_backend($1::int)', [pid])
        await until('its connections have ended', async () => (await held()).length === 0)
      } finally {
        await release()
      }
      await worked
    },
  }
}

const isResponse = (value: unknown): value is Response => value instanceof Response
