import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Environment, loadConfig } from '#config/config.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { type Started, type StartOptions, start } from '../../src/boot/app.ts'
import { ALL_AWAITED } from '../../src/boot/awaited.ts'
import type { LoopName } from '../../src/boot/planning-loop.ts'
import type { Tuning } from '../../src/boot/tuning.ts'
import { preparedDatabase } from './database/database.ts'
import { refuseSeveralShards } from './database/one-shard.ts'
import { watchPlanner } from './database/planner.ts'
import { openSql, type Sql } from './database/sql.ts'
import { describedResponses } from './responses/described-responses.ts'

/** What an operator's password really costs is 70 ms of a processor and 46 MiB (src/platform/crypto/password.test.ts). */
const CHEAP_PASSWORDS = { memory: 64, passes: 1, parallelism: 1 }

interface HarnessOptions extends Pick<StartOptions, 'workers' | 'demo'> {
  /** Services that get a free port of their own at the proxy. */
  proxyPorts?: string[]
}

/** A running service, and what a test needs to observe it. */
export interface Tributary extends Started {
  url: string
  adminToken: string
  dataDir: string
  databaseUrl: string
  /** The origin of one of the services of `proxyPorts`, at which vendors' SDKs call it. */
  proxyOrigin: (service: string) => string
  /** Every log line, at debug level. */
  logged: string[]
  /** Queries the database of the service directly. */
  sql: Sql
  /**
   * Resolves when nothing of this kind is due or running: what has not happened by then will not. Only with inline
   * workers.
   */
  idle: (loop: LoopName) => Promise<void>
  /** Calls the admin API and parses the response. */
  admin: (method: string, path: string, body?: unknown) => Promise<{ status: number; body: unknown }>
}

/**
 * Starts the real service in this process, on a database and a data folder of its own; `stop` removes both. Workers run
 * inline, where a test can observe them; with `workers: 'processes'` they are child processes, as in production. `stop`
 * fails when a response was not as the OpenAPI document describes it.
 */
export async function startTributary(
  env: Environment = {},
  tuning: Tuning = {},
  { workers = 'inline', demo = false, proxyPorts = [] }: HarnessOptions = {},
): Promise<Tributary> {
  const database = await preparedDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'tributary-test-'))
  const adminToken = 'tra_test-admin-token-0123456789'
  const config = loadConfig({
    DATABASE_URL: database.url,
    DATABASE_POOL: '6',
    PORT: '0',
    TRIBUTARY_DATA: dataDir,
    TRIBUTARY_ADMIN_TOKEN: adminToken,
    DRAIN_SECONDS: '5',
    TRIBUTARY_PROXY_PORTS: proxyPorts.map((service) => `${service}=0`).join(),
    ...env,
  })
  const logged: string[] = []
  const log = createLog({ level: 'debug', format: 'json', clock: systemClock, write: (line) => logged.push(line) })
  const planner = watchPlanner()
  const cheap = { passwordCost: CHEAP_PASSWORDS, ...tuning }
  const watched = workers === 'inline' ? { onPlanned: planner.onPlanned, ...cheap } : cheap
  const responses = describedResponses()
  const { onSend } = responses
  const started = await start(config, log, '0.0.0-test', { serve: true, tuning: watched, workers, demo, onSend })
  refuseSeveralShards(started.store.database)
  const url = started.url!
  const opened = openSql(database.url)
  // What the test writes is found as soon as what the service writes itself.
  const wake = () => started.store.writes.written(ALL_AWAITED)
  const sql: Sql = async (text, values) => {
    const rows = await opened.sql(text, values)
    if (!/^\s*select\b/i.test(text)) wake()
    return rows as never
  }
  return {
    ...started,
    url,
    adminToken,
    dataDir,
    databaseUrl: database.url,
    proxyOrigin: started.proxyAddress,
    logged,
    sql,
    idle: (loop) => planner.idle(loop, wake),
    admin: async (method, path, body) => {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${adminToken}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return { status: response.status, body: await response.json() }
    },
    stop: async () => {
      await opened.close()
      await started.stop()
      await database.drop()
      rmSync(dataDir, { recursive: true, force: true })
      responses.assertNone()
    },
  }
}
