import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { systemClock } from '#base/clock.ts'
import { createLog } from '#base/log.ts'
import { openEmbedded } from '#store/embedded/open.ts'
import { processesIn, signal } from '#store/embedded/processes.ts'
import { cuttableLine } from '../support/cuttable-line.ts'

/** A client's PostgreSQL server that loses its line, its connections or its life. */
export interface Target {
  url: string
  counts: { cuts: number; terminated: number; crashes: number }
  cut(ms: number): Promise<void>
  /** Ends every connection of ours there. */
  terminate(): Promise<void>
  /** Kills the whole server at once, as a power cut does, and starts it again. */
  crash(): Promise<void>
  /** From now on one write in fifty is refused for no reason. */
  misbehave(): Promise<void>
  behave(): Promise<void>
  ask<Result>(work: (client: Client) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

export async function startTarget(): Promise<Target> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tributary-target-')))
  // As root the database runs as another user, who has to pass through.
  chmodSync(folder, 0o755)
  const dataDir = join(folder, 'data')
  const log = createLog({ level: 'error', format: 'text', clock: systemClock, write: () => {} })
  const embedded = await openEmbedded({ dataDir, password: 'chaos-target', log, database: 'client' })
  const line = await cuttableLine(embedded.url)
  const url = new URL(line.url)
  url.searchParams.set('sslmode', 'disable')
  const counts = { cuts: 0, terminated: 0, crashes: 0 }
  const ask = async <Result>(work: (client: Client) => Promise<Result>): Promise<Result> => {
    const client = new Client({ connectionString: embedded.url })
    client.on('error', () => {})
    await client.connect()
    try {
      return await work(client)
    } finally {
      await client.end()
    }
  }
  return {
    url: url.href,
    counts,
    ask,
    cut: async (ms) => {
      counts.cuts += 1
      await line.cut()
      await new Promise((resolve) => setTimeout(resolve, ms))
      await line.mend()
    },
    terminate: async () => {
      const { rowCount } = await ask((client) =>
        client.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tributary push'`,
        ),
      )
      counts.terminated += rowCount ?? 0
    },
    crash: async () => {
      counts.crashes += 1
      for (const pid of await processesIn(join(dataDir, 'postgres/data'))) signal(pid, 'SIGKILL')
      const again = await embedded.ensure()
      if (again !== embedded.url) throw new Error('the server came back at another address')
    },
    misbehave: async () => {
      await ask((client) =>
        client.query(`create or replace function moody() returns trigger language plpgsql as $$ begin
            if random() < 0.02 then raise exception 'not now' using errcode = '40001'; end if; return new; end $$;
          create or replace trigger moody before insert or update on tributary_checkpoint for each row execute function moody()`),
      )
    },
    behave: async () => {
      await ask((client) => client.query('drop trigger if exists moody on tributary_checkpoint'))
    },
    close: async () => {
      await line.close()
      await embedded.release()
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}
