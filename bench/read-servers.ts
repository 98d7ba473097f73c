import '../src/platform/tune-heap.ts'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { loadConfig } from '#config/config.ts'
import type { Query } from '#model/items/query.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/telemetry/log.ts'
import type { ReadableProfile } from '#store/identity/readable-profiles.ts'
import { writeList } from '#store/items/list-items.ts'
import { columnsFor } from '#store/items/query.ts'
import { start } from '../src/boot/app.ts'
import type { Shape } from './read-shapes.ts'

export const POOL = 10

export interface PreparedQuery {
  name: string
  text: string
  values: unknown[]
}

/** The SQL of a shape for an account, prepared like the service prepares frequent queries. */
export function sqlOf({ name, selection, query }: Shape, readable: ReadableProfile[]): PreparedQuery {
  const whole: Query = {
    limit: 20,
    since: 0,
    until: Date.now(),
    updatedSince: undefined,
    before: undefined,
    sort: 'desc',
    terms: undefined,
    participants: [],
    near: undefined,
    dedup: false,
    copyOf: false,
    link: undefined,
    ...query,
  }
  const profiles = 'endpoint' in selection ? readable.filter(({ service }) => service === 'demo-social') : readable
  const list = { readable: profiles, selection, query: whole, limit: whole.limit + 1 }
  return { name: `bench ${name}`, ...writeList(false, list, columnsFor(selection, whole)) }
}

export interface Ours {
  kind: 'ours'
  url: string
  key: string
}

export interface Bare {
  kind: 'bare'
  url: string
  queries: PreparedQuery[]
}

/** Starts a server in a separate process. */
export async function startServer(
  server: Ours | Bare,
): Promise<{ url: string; pid: number; stop: () => Promise<void> }> {
  const child = fork(import.meta.filename)
  child.send(server)
  const died = once(child, 'exit').then(() => {
    throw new Error('The server ended before it was ready')
  })
  const [url] = (await Promise.race([once(child, 'message'), died])) as [string]
  died.catch(() => {})
  return {
    url,
    pid: child.pid!,
    stop: async () => {
      child.send('stop')
      await once(child, 'exit')
    },
  }
}

async function serveOurs({ url, key }: Ours): Promise<{ url: string; stop: () => Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tributary-bench-'))
  const config = loadConfig({
    DATABASE_URL: url,
    DATABASE_POOL: String(POOL),
    PORT: '0',
    TRIBUTARY_DATA: dataDir,
    TRIBUTARY_KEY: key,
  })
  const log = createLog({
    level: 'warn',
    format: 'text',
    clock: systemClock,
    write: (line) => process.stderr.write(line),
  })
  const started = await start(config, log, 'bench', { serve: true })
  return {
    url: started.url!,
    stop: async () => {
      await started.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** The minimum: runs the same SQL and joins the texts, without any checks. */
async function serveBare({ url, queries }: Bare): Promise<{ url: string; stop: () => Promise<void> }> {
  const pool = new Pool({ connectionString: url, max: POOL })
  const server = createServer((request, response) => {
    const query = queries[Number(request.url?.slice(1))]!
    pool.query<{ id: string; at: string; data: string; oembed: string }>({ ...query }).then(
      ({ rows }) => {
        const items = rows.map(
          ({ id, at, data, oembed }) => `{"id":"${id}","at":${at},"data":${data},"oembed":${oembed}}`,
        )
        response.writeHead(200, { 'content-type': 'application/json' }).end(`[${items.join(',')}]`)
      },
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.close()
      server.closeAllConnections()
      await pool.end()
    },
  }
}

if (import.meta.main) {
  const [wanted] = (await once(process, 'message')) as [Ours | Bare]
  const server = wanted.kind === 'ours' ? await serveOurs(wanted) : await serveBare(wanted)
  process.send?.(server.url)
  await once(process, 'message')
  await server.stop()
  process.disconnect()
}
