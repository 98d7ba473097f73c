import { setTimeout as sleep } from 'node:timers/promises'
import { addDestination } from '#flows/push/manage/destinations.ts'
import { readStore, type Verdict } from './push-compare.ts'
import { openPushHarness } from './push-fixture.ts'
import { startMariadb } from './push-mariadb.ts'
import { startNats } from './push-nats.ts'
import { startPostgres } from './push-postgres.ts'
import { type Random, seeded } from './push-random.ts'
import { startChaosReceiver } from './push-receiver.ts'
import { createSource, type Source } from './push-source.ts'
import type { Target } from './push-target.ts'
import { startWorkers } from './push-workers.ts'

export interface PushChaosOptions {
  seed: number
  /** Workers to kill, by us or at a crash point. */
  kills: number
  /** Ends the run, however many were killed. */
  signal?: AbortSignal
  workers: number
  people: number
  /** One in this many faults is a crash of a destination. */
  crashOneIn: number
  say?: (line: string) => void
}

export interface PushChaosReport {
  seed: number
  kills: number
  /** Deaths at each crash point; included in the kills. */
  points: Record<string, number>
  /** Deliveries in progress when a worker was killed, over all kills. */
  underWay: number
  freezes: number
  changes: Source['counts']
  targets: Record<string, { faults: Target['counts']; verdict: Verdict }>
  messages: number
  drainedMs: number
  ms: number
}

const LEASE_MS = 2000

/** Items change while workers, connections and destinations fail repeatedly; then store and destinations are compared. */
export async function runPushChaos(options: PushChaosOptions): Promise<PushChaosReport> {
  const say = options.say ?? (() => {})
  const random = seeded(options.seed)
  const closing: (() => Promise<unknown>)[] = []
  try {
    const harness = await openPushHarness()
    closing.push(() => harness.close())
    const { appId, deps, database, env } = harness
    const beganAt = performance.now()
    const receiver = await startChaosReceiver(seeded(options.seed + 1))
    closing.push(() => receiver.close())
    const targets: Target[] = [receiver]
    for (const startTarget of [startPostgres, startMariadb, startNats]) {
      const target = await startTarget()
      targets.push(target)
      closing.push(() => target.close())
    }

    const source = await createSource(deps, random, [appId], options.people)
    const common = { filter: ['*'], schedule: 'on_change' }
    for (const { kind, url } of targets)
      await addDestination(deps, appId, { ...common, name: kind, kind, url }, 'chaos')
    const tuning = { deliveryTimes: { leaseMs: LEASE_MS, sliceMs: 300, firstWaitMs: 50 } }
    say('the destinations are up')
    const workers = await startWorkers(options.workers, { ...env, CHAOS_TUNING: JSON.stringify(tuning) }, random)
    closing.push(() => workers.end())

    const leased = async () => {
      const [row] = await database.rows<{ n: number }>(
        { name: '', text: 'select count(*) as n from delivery_cursor where lease_token is not null and due_at > $1' },
        [Date.now()],
      )
      return row!.n
    }
    const drain = async (): Promise<number> => {
      const beganAt = performance.now()
      for (let left = await harness.open(); left > 0; left = await harness.open()) {
        if (performance.now() - beganAt > 180_000) {
          const stuck = await database.rows({
            name: '',
            text: 'select * from delivery_cursor where revision > acked_revision or due_at is not null limit 5',
          })
          const states = await database.rows({
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
    for (const target of targets) await target.misbehave()
    say('everything is there once')

    /** Waits until something was delivered since the last kill, so that the next one hits a worker at work. */
    let seen = 0
    const busy = async () => {
      const wanted = seen + 1 + random.below(12)
      for (let i = 0; i < 400 && receiver.messages() < wanted; i += 1) await sleep(10)
      seen = receiver.messages()
      // A kill should meet a delivery at any of its steps.
      await sleep(random.below(40))
    }

    // Two writers change items continuously.
    const stop = new AbortController()
    const writer = async () => {
      while (!stop.signal.aborted) {
        await source.change()
        // Changes have a constant rate.
        await sleep(5 + random.below(30))
      }
    }
    const writers = [writer(), writer()]
    let reported = 0
    let underWay = 0
    // Each kind of fault occurs at least once, in an order that the seed decides.
    const certain = shuffled(random, [
      ...targets.flatMap((target) => [() => target.disturb(random), () => target.crash()]),
      async () => void workers.freeze(LEASE_MS + 500),
    ])
    const killed = () => workers.counts.kills + sum(Object.values(workers.points))
    while (killed() < options.kills && options.signal?.aborted !== true) {
      const fate = random.below(100)
      const due = random.isOneIn(2) ? certain.pop() : undefined
      if (due !== undefined) await due()
      else if (fate < 8) workers.freeze(LEASE_MS + 500 + random.below(1500))
      else if (fate < 20) await random.pick(targets).disturb(random)
      else if (random.isOneIn(options.crashOneIn)) await random.pick(targets).crash()
      else {
        await busy()
        await workers.kill()
        underWay += await leased()
      }
      if (killed() >= reported + 50) {
        reported = killed()
        const { put, removed, erased, merged } = source.counts
        say(
          `${reported} kills, ${put} puts, ${removed} deletes, ${erased} erasures, ${merged} merges, ${receiver.messages()} messages, ${await harness.open()} open`,
        )
      }
    }
    say('the killing is over')
    stop.abort()
    await Promise.all(writers)
    await workers.settle()
    for (const target of targets) await target.behave()
    const drainedMs = await drain()
    say('everything is there again')
    const stored = await readStore(database, appId)
    const verdicts: PushChaosReport['targets'] = {}
    for (const target of targets)
      verdicts[target.kind] = { faults: target.counts, verdict: await target.compare(stored) }
    return {
      seed: options.seed,
      kills: killed(),
      points: workers.points,
      underWay,
      freezes: workers.counts.freezes,
      changes: source.counts,
      targets: verdicts,
      messages: receiver.messages(),
      drainedMs,
      ms: Math.round(performance.now() - beganAt),
    }
  } finally {
    for (const close of closing.toReversed()) await close()
  }
}

function shuffled<Value>(random: Random, values: Value[]): Value[] {
  return values
    .map((value) => ({ value, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value)
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
