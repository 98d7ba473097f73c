import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import { cuttableLine } from '../harness/database/cuttable-line.ts'
import { freePort } from '../harness/free-port.ts'
import { ASK_ITEMS, ASK_PROFILES, judgeTables, type TableRow } from './push-compare.ts'
import type { Target } from './push-target.ts'

const MOODY = [
  'create table went_back (what varchar(200))',
  `create trigger moody before update on tributary_checkpoint for each row begin
     if rand() < 0.02 then signal sqlstate '45000' set message_text = 'not now'; end if;
     if new.epoch < old.epoch then insert into went_back values (old.profile_id); end if;
   end`,
  `create trigger watch_item before update on tributary_items for each row
     if new.seq < old.seq then insert into went_back values (old.id); end if`,
]

/** An app's MariaDB server, which can be killed. */
export async function startMariadb(): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-mariadb-'))
  const port = await freePort()
  const counts = { cuts: 0, crashes: 0, refused: 0 }
  let server = await start(folder, port)
  const ask = async <Row extends object>(...statements: string[]): Promise<Row[]> => {
    const client = await createConnection({ host: '127.0.0.1', port, user: 'root' })
    try {
      let rows: unknown = []
      for (const statement of ['create database if not exists client', 'use client', ...statements])
        [rows] = await client.query<RowDataPacket[]>(statement)
      return rows as Row[]
    } finally {
      await client.end()
    }
  }
  await ask()
  const line = await cuttableLine(`mysql://root@127.0.0.1:${port}/client?sslmode=disable`)
  return {
    kind: 'mysql',
    url: line.url,
    counts,
    disturb: async (random) => {
      counts.cuts += 1
      await line.cut()
      // The seed decides how long the outage is.
      await sleep(50 + random.below(500))
      await line.mend()
    },
    crash: async () => {
      counts.crashes += 1
      await end(server, 'SIGKILL')
      server = await start(folder, port)
    },
    misbehave: async () => void (await ask(...MOODY)),
    behave: async () => void (await ask('drop trigger moody')),
    compare: async (stored) => {
      const back = await ask('select 1 from went_back')
      const rows = await ask<TableRow>(ASK_ITEMS(`json_value(data, '$.v')`))
      return judgeTables(stored, rows, await ask(ASK_PROFILES), back.length)
    },
    close: async () => {
      await line.close()
      await end(server, 'SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function start(folder: string, port: number): Promise<ChildProcess> {
  const places = [`--datadir=${folder}`, `--socket=${folder}/socket`, `--pid-file=${folder}/pid`, `--port=${port}`]
  const small = ['--innodb-buffer-pool-size=16M', '--skip-grant-tables', '--bind-address=127.0.0.1']
  const as = process.getuid?.() === 0 ? ['--user=root'] : []
  const server = spawn('mariadbd', ['--no-defaults', ...places, ...small, ...as], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  for await (const text of createInterface(server.stderr)) {
    said += `${text}\n`
    if (text.includes('ready for connections')) break
  }
  if (server.exitCode !== null) throw new Error(said)
  server.stderr.resume()
  return server
}

async function end(server: ChildProcess, how: NodeJS.Signals): Promise<void> {
  const ended = once(server, 'exit')
  server.kill(how)
  await ended
}
