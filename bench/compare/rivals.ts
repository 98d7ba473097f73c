import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Client } from 'pg'
import { systemClock } from '#platform/clock.ts'
import { openDatabase } from '#platform/postgres/database.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { listReadable } from '#store/identity/readable-profiles.ts'
import { backendsCpuMs, type CpuReading, ownCpuMs } from '../cpu-time.ts'
import { median } from '../load.ts'
import { startPassThrough } from '../proxy.ts'
import { type PreparedQuery, sqlOf, startServer } from '../read-servers.ts'
import {
  type Action,
  CALL_CONNECTIONS,
  coldReadsOf,
  KILOBYTE,
  READ_CONNECTIONS,
  READS,
  type Side,
  type Sizes,
  shareOf,
  summed,
} from './operations.ts'
import { type Requests, sendRequests } from './requests.ts'
import { type Person, RIVAL, type RunningCheckout } from './running-checkout.ts'
import type { Service } from './service.ts'

const NODE_STARTS = 5

/** Programs without any checks that do the same work as the server, each in a process of its own. */
export async function startRivals(
  { database }: RunningCheckout,
  reader: Person,
  service: Service,
  server: Client,
  sizes: Sizes,
  cleanup: AsyncDisposableStack,
): Promise<Side> {
  const url = new URL(database.url)
  url.searchParams.set('application_name', RIVAL)
  const cpuOf = (pid: number) => async (): Promise<CpuReading> => ({
    processesMs: ownCpuMs(pid),
    backends: await backendsCpuMs(server, database.name, { is: RIVAL }),
  })

  const handler = await startServer({ kind: 'bare', url: url.href, queries: await queriesOf(database.url, reader) })
  cleanup.defer(handler.stop)
  const read = (index: number, count = shareOf(sizes.reads)): Action => ({
    cpu: cpuOf(handler.pid),
    turn: () => sendRequests(`${handler.url}/${index}`, { count, connections: READ_CONNECTIONS }),
  })

  const through = await startPassThrough(service.url)
  cleanup.defer(() => through.child.disconnect())
  const call = (path: string, count: number, requests: Partial<Requests> = {}): Action => ({
    cpu: cpuOf(through.child.pid!),
    turn: () =>
      sendRequests(through.started.url + path, { count: shareOf(count), connections: CALL_CONNECTIONS, ...requests }),
  })

  const inserter = fork(`${import.meta.dirname}/../bare-inserts.ts`, [url.href, reader.serviceToken])
  cleanup.defer(() => inserter.disconnect())
  await once(inserter, 'message')
  const insert: Action = {
    cpu: cpuOf(inserter.pid!),
    turn: async () => {
      inserter.send('insert')
      await once(inserter, 'message')
    },
  }

  return {
    'read type': read(0),
    'read map': read(1),
    'read dedup': read(2),
    // It knows nobody, so it is never cold; it always reads the page of the same person.
    'read cold': read(0, coldReadsOf(sizes)),
    'proxy down': call('/1k', sizes.calls),
    'proxy up': call('/up', sizes.calls, { method: 'POST', body: KILOBYTE }),
    'proxy cold': call('/1k', sizes.callers),
    'sync first': insert,
    'sync unchanged': insert,
    loading: summed(async () => median(Array.from({ length: NODE_STARTS }, emptyNodeMs))),
  }
}

/** The statements of the reads. The rival does not look for copies, nor map. */
async function queriesOf(url: string, { serviceToken }: Person): Promise<PreparedQuery[]> {
  const log = createLog({ level: 'silent', format: 'text', clock: systemClock, write: () => {} })
  const database = openDatabase({ url, pool: 1, prepared: true, log })
  try {
    const found = { name: 'bench-account', text: 'select shard, account_id as id from profile where native_id = $1' }
    const [account] = await database.rows<{ shard: number; id: string }>(found, [serviceToken])
    const readable = await listReadable(database, { ...account!, appId: '', shards: [account!.shard], createdAt: 0 })
    return Object.keys(READS).map((name) =>
      sqlOf({ name, path: '', selection: { type: 'photos' }, query: { dedup: name === 'read dedup' } }, readable),
    )
  } finally {
    await database.close()
  }
}

function emptyNodeMs(): number {
  const program = 'const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)'
  return Number(execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' }))
}
