import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#base/clock.ts'
import { loadConfig } from '#base/config.ts'
import { createLog } from '#base/log.ts'
import { createConnections } from '#flows/deliver/connections.ts'
import { createKinds } from '#flows/deliver/destinations/index.ts'
import { addDestination } from '#flows/deliver/manage.ts'
import { readItemQuery } from '#http/item-parameters.ts'
import { createEgress } from '#upstream/egress/guard.ts'
import { createUpstream } from '#upstream/send.ts'
import { loadRegistry, openStore } from '../../src/app.ts'
import { freshDatabase } from '../support/database.ts'
import { compareReceiver, compareTables, storedItems, type Verdict } from './push-compare.ts'
import { seeded } from './push-random.ts'
import { startChaosReceiver } from './push-receiver.ts'
import { createSource } from './push-source.ts'
import { startTarget } from './push-target.ts'
import { startWorkers } from './push-workers.ts'

export interface PushChaosOptions {
  seed: number
  /** Workers killed before it ends. */
  kills: number
  people: number
  /** A crash of the destination among so many faults. */
  crashOneIn: number
  say?: (line: string) => void
}

export interface PushChaosReport {
  seed: number
  kills: number
  /** Deliveries that were under way when a worker was killed, counted over all kills. */
  underWay: number
  freezes: number
  faults: { cuts: number; terminated: number; crashes: number; refused: number }
  changes: { put: number; removed: number; erased: number }
  tables: Verdict
  webhook: Verdict & { messages: number; repeats: number; late: number; disordered: number }
  drainedMs: number
}

const LEASE_MS = 2000
const LOOPBACK = '127.0.0.0/8,::1/128'

/** Items change while the workers, the line and the destination die again and again; then store and destinations are compared. */
export async function runPushChaos(options: PushChaosOptions): Promise<PushChaosReport> {
  const say = options.say ?? (() => {})
  const random = seeded(options.seed)
  const closing: (() => Promise<unknown>)[] = []
  try {
    const database = await freshDatabase()
    closing.push(database.drop)
    const dataDir = mkdtempSync(join(tmpdir(), 'tributary-push-chaos-'))
    closing.push(async () => rmSync(dataDir, { recursive: true, force: true }))
    const target = await startTarget()
    closing.push(() => target.close())
    const receiver = await startChaosReceiver(seeded(options.seed + 1))
    closing.push(receiver.close)

    const env = {
      DATABASE_URL: database.url,
      DATABASE_POOL: '6',
      TRIBUTARY_DATA: dataDir,
      TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
    }
    const config = loadConfig(env)
    const log = createLog({ level: 'error', format: 'text', clock: systemClock, write: () => {} })
    const store = await openStore(config, log)
    closing.push(store.close)
    const egress = createEgress({ allowPrivate: LOOPBACK.split(',') })
    closing.push(() => egress.close())
    const connections = createConnections({ egress, clock: systemClock }, createKinds(config))
    closing.push(() => connections.close())
    const registry = await loadRegistry(config)
    const upstream = createUpstream({ egress, clock: systemClock, log })
    const need = {
      ...store,
      egress,
      connections,
      registry,
      upstream,
      readQuery: readItemQuery,
      config: { baseUrl: 'http://localhost' },
    }

    const appId = 'chaos'
    await store.database.count(
      {
        name: '',
        text: `insert into app (id, name, redirect_uris, token_flow, created_at) values ($1, 'Chaos', '{}', true, 0)`,
      },
      [appId],
    )
    const source = await createSource(need, random, [appId], options.people)
    const common = { filter: ['*'], schedule: 'on_change' }
    await addDestination(need, appId, { ...common, name: 'Tables', kind: 'postgres', url: target.url }, 'chaos')
    await addDestination(need, appId, { ...common, name: 'Hook', kind: 'webhook', url: receiver.url }, 'chaos')
    const tuning = { deliveryTimes: { leaseMs: LEASE_MS, turnMs: 300, firstWaitMs: 50 }, heartbeatS: 10 }
    const workers = await startWorkers(3, { ...env, CHAOS_TUNING: JSON.stringify(tuning) }, random)
    closing.push(() => workers.end())

    const open = async () => {
      const [row] = await store.database.rows<{ n: number }>({
        name: '',
        text: `select count(*) as n from delivery_cursor c left join profile_sync p on p.part = c.part and p.profile_id = c.profile_id
               where c.news > c.told or c.due_at is not null or p.seq > c.seq`,
      })
      return row!.n
    }
    const leased = async () => {
      const [row] = await store.database.rows<{ n: number }>(
        { name: '', text: 'select count(*) as n from delivery_cursor where lease_token is not null and due_at > $1' },
        [Date.now()],
      )
      return row!.n
    }
    const drain = async (): Promise<number> => {
      const beganAt = performance.now()
      for (let left = await open(); left > 0; left = await open()) {
        if (performance.now() - beganAt > 180_000) {
          const stuck = await store.database.rows({
            name: '',
            text: 'select * from delivery_cursor where news > told or due_at is not null limit 5',
          })
          const states = await store.database.rows({
            name: '',
            text: 'select id, kind, state, last_error, fails from destination',
          })
          throw new Error(`${left} cursors are stuck: ${JSON.stringify({ stuck, states })}\n${workers.tail()}`)
        }
        await sleep(50)
      }
      return Math.round(performance.now() - beganAt)
    }
    await drain()
    await target.misbehave()

    /** Waits until something was delivered since the last time: only who works can be killed at work. */
    let seen = 0
    const busy = async () => {
      const wanted = seen + 1 + random.below(12)
      for (let i = 0; i < 400 && receiver.counts.messages < wanted; i += 1) await sleep(10)
      seen = receiver.counts.messages
      await sleep(random.below(40))
    }

    // Two writers change items all the time.
    const stop = new AbortController()
    const writer = async () => {
      while (!stop.signal.aborted) {
        await source.change()
        await sleep(5 + random.below(30))
      }
    }
    const writers = [writer(), writer()]
    let told = 0
    let underWay = 0
    while (workers.counts.kills < options.kills) {
      const fate = random.below(100)
      if (fate < 8) workers.freeze(LEASE_MS + 500 + random.below(1500))
      else if (fate < 14) await target.cut(50 + random.below(500))
      else if (fate < 20) await target.terminate()
      else if (random.isOneIn(options.crashOneIn)) await target.crash()
      else {
        await busy()
        await workers.kill()
        underWay += await leased()
      }
      if (workers.counts.kills >= told + 50) {
        told = workers.counts.kills
        const { put, removed, erased } = source.counts
        say(
          `${told} kills, ${put} puts, ${removed} deletes, ${erased} erasures, ${receiver.counts.messages} messages, ${await open()} open`,
        )
      }
    }
    stop.abort()
    await Promise.all(writers)
    await workers.settle()
    await target.behave()
    const drainedMs = await drain()
    const stored = await storedItems(store.database, appId)
    const { messages, repeats, late, disordered, refused } = receiver.counts
    return {
      seed: options.seed,
      kills: workers.counts.kills,
      underWay,
      freezes: workers.counts.freezes,
      faults: { ...target.counts, refused },
      changes: { ...source.counts },
      tables: await target.ask((client) => compareTables(client, stored)),
      webhook: { ...compareReceiver(receiver, stored), messages, repeats, late, disordered },
      drainedMs,
    }
  } finally {
    for (const close of closing.toReversed()) await close()
  }
}
