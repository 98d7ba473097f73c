import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { systemClock } from '#platform/clock.ts'
import { openEmbedded } from '#platform/embedded-postgres/open.ts'
import { processesIn, signal } from '#platform/embedded-postgres/processes.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { cuttableLine } from '../harness/database/cuttable-line.ts'
import { ASK_ITEMS, ASK_PROFILES, judgeTables, type TableRow } from './push-compare.ts'
import type { Target } from './push-target.ts'

const MOODY = `
create table went_back (what text);
create function moody() returns trigger language plpgsql as $$ begin
  if random() < 0.02 then raise exception 'not now' using errcode = '40001'; end if; return new; end $$;
create trigger moody before insert or update on tributary_checkpoint for each row execute function moody();
create function watch_item() returns trigger language plpgsql as $$ begin
  if new.seq < old.seq then insert into went_back values (old.id); end if; return new; end $$;
create trigger watch_item before update on tributary_items for each row execute function watch_item();
create function watch_run() returns trigger language plpgsql as $$ begin
  if new.epoch < old.epoch then insert into went_back values (old.profile_id); end if; return new; end $$;
create trigger watch_run before update on tributary_checkpoint for each row execute function watch_run()`

/** An app's PostgreSQL server, which can be killed. */
export async function startPostgres(): Promise<Target> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tributary-target-')))
  // When run as root, the database runs as another user, who needs access to the folder.
  chmodSync(folder, 0o755)
  const dataDir = join(folder, 'data')
  const log = createLog({ level: 'error', format: 'text', clock: systemClock, write: () => {} })
  const embedded = await openEmbedded({ dataDir, password: 'chaos-target', log, database: 'client' })
  const line = await cuttableLine(embedded.url)
  const url = new URL(line.url)
  url.searchParams.set('sslmode', 'disable')
  const counts = { cuts: 0, crashes: 0, refused: 0 }
  const ask = async <Row extends object>(sql: string): Promise<Row[]> => {
    const client = new Client({ connectionString: embedded.url })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query<Row>(sql)).rows
    } finally {
      await client.end()
    }
  }
  return {
    kind: 'postgres',
    url: url.href,
    counts,
    disturb: async (random) => {
      counts.cuts += 1
      if (random.isOneIn(2)) {
        await ask(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tributary push'`)
        return
      }
      await line.cut()
      // The seed decides how long the outage is.
      await sleep(50 + random.below(500))
      await line.mend()
    },
    crash: async () => {
      counts.crashes += 1
      for (const pid of await processesIn(join(dataDir, 'postgres/data'))) signal(pid, 'SIGKILL')
      const again = await embedded.ensure()
      if (again !== embedded.url) throw new Error('the server came back at another address')
    },
    misbehave: async () => void (await ask(MOODY)),
    behave: async () => void (await ask('drop trigger moody on tributary_checkpoint')),
    compare: async (stored) => {
      const back = await ask('select 1 from went_back')
      return judgeTables(stored, await ask<TableRow>(ASK_ITEMS(`data ->> 'v'`)), await ask(ASK_PROFILES), back.length)
    },
    close: async () => {
      await line.close()
      await embedded.release()
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}
