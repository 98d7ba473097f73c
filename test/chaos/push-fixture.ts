import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '#config/config.ts'
import { createKinds } from '#destinations/kinds.ts'
import { createConnections } from '#flows/push/connections.ts'
import { createPushCounters } from '#flows/push/delivery-counters.ts'
import { systemClock } from '#platform/clock.ts'
import type { Database } from '#platform/postgres/database.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { createOperationLog } from '#store/log/operation-log.ts'
import { openStore } from '../../src/boot/open-store.ts'
import { loadRegistry } from '../../src/boot/registry.ts'
import { childEnv } from '../harness/child-env.ts'
import { preparedDatabase } from '../harness/database/database.ts'
import { LOOPBACK } from '../harness/loopback.ts'
import { openUpstream } from '../harness/upstream.ts'

const APP = 'chaos'

/** The store with an app and no deliveries: workers are started separately, to be killed. */
export async function openPushHarness() {
  const fresh = await preparedDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'tributary-push-chaos-'))
  const env = {
    DATABASE_URL: fresh.url,
    DATABASE_POOL: '6',
    TRIBUTARY_DATA: dataDir,
    TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
    // Hundreds of workers start from the same files.
    NODE_COMPILE_CACHE: childEnv['NODE_COMPILE_CACHE'] ?? join(dataDir, 'compiled'),
  }
  const config = loadConfig(env)
  const log = createLog({ level: 'error', format: 'text', clock: systemClock, write: () => {} })
  const store = await openStore(config, log)
  const { egress, upstream, close } = openUpstream()
  const connections = createConnections({ egress, clock: systemClock, log }, createKinds(config))
  await store.database.count(
    {
      name: '',
      text: `insert into app (id, name, redirect_uris, token_flow, created_at) values ($1, 'Chaos', '{}', true, 0)`,
    },
    [APP],
  )
  return {
    appId: APP,
    database: store.database,
    /** Of every worker. */
    env,
    deps: {
      ...store,
      egress,
      connections,
      pushCounters: createPushCounters(),
      registry: await loadRegistry(config),
      upstream,
      operations: createOperationLog(store),
      config: { baseUrl: 'http://localhost' },
    },
    /** The number of cursors with undelivered changes. */
    open: () => openCursors(store.database),
    close: async () => {
      await connections.close()
      await close()
      await store.close()
      await fresh.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function openCursors(database: Database): Promise<number> {
  const [row] = await database.rows<{ n: number }>({
    name: '',
    text: `select count(*) as n from delivery_cursor c left join profile_sync p on p.shard = c.shard and p.profile_id = c.profile_id
           where c.revision > c.acked_revision or c.due_at is not null or p.seq > c.seq`,
  })
  return row!.n
}
