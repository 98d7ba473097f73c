import { join } from 'node:path'
import { loadConfig } from '#config/config.ts'
import { findDue } from '#flows/push/deliver/plan.ts'
import { runDestination } from '#flows/push/deliver/run-destination.ts'
import type { RunPermit } from '#flows/push/deliver/run-limiter.ts'
import { type RunOptions, runProfile } from '#flows/sync/run/run-profile.ts'
import { withDeliveryDeps } from '../../../src/boot/delivery-deps.ts'
import { openDependencies } from '../../../src/boot/deps.ts'
import { basic, setKeys } from '../../harness/app.ts'
import { connect } from '../../harness/connect.ts'
import { startLabHarness } from '../../harness/lab.ts'
import { LOOPBACK } from '../../harness/loopback.ts'
import { send } from '../../harness/send.ts'
import { quiet } from '../../store/opened.ts'
import { startScripted } from '../sync/scripted-service.ts'
import type { WholeCost } from './compare.ts'
import type { Picture } from './connectors/shop.ts'
import { countStatements } from './count-statements.ts'
import { takeTime } from './stopped-time.ts'

/** Longer than anything is cached. */
const COLD_MS = 120_000
/** Calls and operations are logged at most this much later. */
const LOGGED_WITHIN_MS = 1000
/** Then everything that can be cached is. */
const WARM_RUNS = 3

/** Looks for due work. They wait while operations are counted, so that no other work begins; their cost is that of an idle minute. */
const LOOKS =
  /^(deletion-open|deletion-request-due|destination-(any-due|any-due-in-shards|due|due-counts|runnable|ticking|watched|with-events|workers)|hook-subscription-due|named-lease-take|reread-(find.*|services)|sweep-find|sync-apps|sync-due-.*)$/
const isLook = (name: string) => LOOKS.test(name)

export type CostHarness = Awaited<ReturnType<typeof startCostHarness>>

/** The running service whose time stands still, with services that it calls, and counts of what it asks of its database. */
export async function startCostHarness() {
  const time = takeTime()
  const counter = countStatements()
  const shop = await startScripted()
  const { promise: looking, resolve: letLoopsLook } = Promise.withResolvers<void>()
  const begun: (() => Promise<unknown>)[] = [() => shop.close()]
  /** After a start that failed, nothing keeps the process alive. */
  const undo = async (error: unknown): Promise<never> => {
    letLoopsLook()
    for (const stop of begun.toReversed()) await stop()
    counter.release()
    time.release()
    throw error
  }
  const connectors = join(import.meta.dirname, 'connectors')
  // As many connections as calls at once, so that none waits for another one's connection.
  const settings = { TRIBUTARY_CONNECTORS: connectors, DATABASE_POOL: '20' }
  const lab = await startLabHarness(settings, { clock: time.clock, onPlanned: () => looking }).catch(undo)
  begun.push(() => lab.stop())
  const { tributary, app } = lab
  const keys = { key: 'key', secret: 'secret', overrides: { base_url: shop.url } }
  await setKeys(tributary, app, 'shop', keys).catch(undo)
  shop.on('/me', ({ headers }) => {
    const id = (headers.authorization ?? '').replace('Bearer token-', '')
    return { body: { id, name: id } }
  })
  const config = loadConfig({
    DATABASE_URL: tributary.databaseUrl,
    TRIBUTARY_DATA: tributary.dataDir,
    TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
    TRIBUTARY_CONNECTORS: connectors,
  })
  // What a worker process opens: it runs what a test asks for, and nothing by itself.
  const worker = withDeliveryDeps(await openDependencies(config, quiet, { tuning: { clock: time.clock } }).catch(undo))
  time.stop()
  await counter.ended()
  const stoppedAt = time.mark()

  let pictures: Picture[] = []
  shop.on('/pictures', ({ query }) => ({ body: { pictures: query['page'] === '1' ? pictures : [] } }))
  const runOptions: RunOptions = { signal: new AbortController().signal, alone: false, step: () => {} }

  const permit: RunPermit = { ...runOptions, others: 0, isWanted: () => true }
  /** Runs every destination until nothing is due, as a worker does. */
  const deliverAll = async () => {
    for (;;) {
      const due = await findDue(worker)
      if (due.length === 0) return
      for (const { destination } of due) await runDestination(worker, destination.id, permit)
    }
  }
  shop.on('/hook', () => ({ body: {} }))

  /** Afterwards no sync begins when time goes on, nor maintenance. */
  const haveNothingDue = async () => {
    await tributary.sql('update profile_sync set next_run_at = null')
    await tributary.sql(`update named_lease set until_ms = ${Number.MAX_SAFE_INTEGER} where name = 'maintenance'`)
    letLoopsLook()
  }

  const measure = async (work: () => Promise<unknown>): Promise<WholeCost> => {
    const finish = () => time.finish(stoppedAt, LOGGED_WITHIN_MS, counter.ended)
    await finish()
    const now = await counter.during(work, isLook)
    const { statements: later } = await counter.during(finish, isLook)
    return { ...now, ...(Object.keys(later).length > 0 ? { later } : {}) }
  }

  return {
    ...lab,
    time,
    counter,
    shop,
    worker,
    /** The pictures that the shop lists on its only page. */
    setPictures: (list: Picture[]) => {
      pictures = list
    },
    connectShop: (person: string, account?: string) =>
      connect({ tributary }, app, 'shop', { token: `token-${person}`, account }),
    /** Runs the sync of a profile some time after the last one, as a worker does when its endpoint is due. */
    sync: async (nativeId: string) => {
      time.jump(COLD_MS)
      const [row] = await tributary.sql<{ shard: number; id: string }>(
        `update endpoint_sync e set next_run_at = 0 from profile p
         where p.service = 'shop' and p.native_id = $1 and e.shard = p.shard and e.profile_id = p.id returning p.shard, p.id`,
        [nativeId],
      )
      return runProfile(worker, { shard: row!.shard, profileId: row!.id }, runOptions)
    },
    /** A destination of the app that has received everything. */
    addWebhook: async (): Promise<string> => {
      const fields = { name: 'Hook', kind: 'webhook', filter: ['*'], url: `${shop.url}/hook` }
      const { status, text, body } = await send(lab, 'POST', '/push', { headers: basic(app), json: fields })
      if (status !== 201) throw new Error(`The destination was not created: ${text}`)
      await deliverAll()
      return String(body['id'])
    },
    deliverAll,
    /** One run of a destination. */
    deliver: (destination: string) => runDestination(worker, destination, permit),
    /** Everything that was cached has expired. */
    cool: () => time.jump(COLD_MS),
    /** What the work costs, and what it leaves for later, such as its entry in the log. */
    measure,
    /** The same after it was done often. */
    warm: async (work: () => Promise<unknown>) => {
      for (let run = 0; run < WARM_RUNS; run += 1) await measure(work)
      return measure(work)
    },
    haveNothingDue,
    stop: async () => {
      await haveNothingDue()
      time.run()
      await worker.close()
      await lab.stop()
      await shop.close()
      counter.release()
      time.release()
    },
  }
}

/** Pictures with the ids `from` to `from + count - 1`. */
export function somePictures(count: number, from = 0): Picture[] {
  return Array.from({ length: count }, (_, n) => ({
    id: `p${from + n}`,
    at: 1_700_000_000_000 + from + n,
    text: `picture ${from + n}`,
  }))
}
