import { randomUUID } from 'node:crypto'
import { type Job, PgBoss } from 'pg-boss'
import type { Log } from '#base/log.ts'
import { type JobData, type Pump, startPump } from './job-pump.ts'

/**
 * The queues there are. A job is a wake-up: it carries a key, and the work reads everything else from its row. A key is there
 * once, waiting or at work: with one more behind it, the engine would stumble over it whenever somebody takes from the queue.
 * `slots` is how many jobs one process has at work.
 */
export const QUEUES = {
  maintenance: { slots: 1 },
  deliver: { slots: 24 },
  sync: { slots: 32 },
  /** What a worker died of, one at a time, so that only what is at fault is counted again. */
  alone: { slots: 1 },
} as const satisfies Record<string, { slots: number }>

export type QueueName = keyof typeof QUEUES

type Run = (wakeUp: WakeUp & { jobId: string }, signal: AbortSignal) => Promise<void>

export interface WakeUp {
  key: string
  data: Record<string, unknown>
}

export interface QueueDepth {
  queue: QueueName
  ready: number
  active: number
  /** Age of the oldest job that waits for a worker. */
  oldestMs: number
}

/** All the service sees of the job engine; what engines do badly (delays, order, rate limits) is not asked of them. */
export interface Engine {
  /** Gives the keys that were not taken, because they wait or are at work already: whoever wants another run asks again. */
  wake(queue: QueueName, wakeUps: WakeUp[]): Promise<string[]>
  work(queue: QueueName, run: Run): Promise<void>
  /** Wakes a queue by the clock. For a dozen maintenance tasks, never one per object. */
  every(queue: QueueName, cron: string): Promise<void>
  /** How many jobs wait, counted no further than `cap`. */
  waiting(queue: QueueName, cap: number): Promise<number>
  depth(): Promise<QueueDepth[]>
  /** Takes jobs off the books whose worker is dead: their keys can be woken again at once. */
  forget(queue: QueueName, jobIds: string[]): Promise<void>
  stop(graceMs: number): Promise<void>
}

const SCHEMA = 'engine'

/** A job whose worker says nothing for so long is taken up by another. */
const HEARTBEAT_S = 20

export async function startEngine({
  url,
  log,
  heartbeatS = HEARTBEAT_S,
  supervise = true,
}: {
  url: string
  log: Log
  heartbeatS?: number | undefined
  /** Whether this process looks after silent workers and schedules; one that only asks does not. */
  supervise?: boolean | undefined
}): Promise<Engine> {
  const boss = new PgBoss({
    connectionString: url,
    application_name: 'tributary engine',
    schema: SCHEMA,
    max: supervise ? 3 : 2,
    supervise,
    schedule: supervise,
    // Looks for silent workers this often; the second of the two would otherwise hold the first back to once a minute.
    superviseIntervalSeconds: Math.ceil(heartbeatS / 4),
    monitorIntervalSeconds: Math.ceil(heartbeatS / 4),
    monitorVacuum: false,
  })
  boss.on('error', (error) => log.warn('the job engine met an error and goes on', { error: error.message }))
  await boss.start()
  for (const name of Object.keys(QUEUES)) {
    // A queue keeps the rules it was made with; wake-ups in it are made again.
    const made = await boss.getQueue(name)
    if (made !== null && made.policy !== 'exclusive') await boss.deleteQueue(name)
    // Without a heartbeat a dead worker's job would wait a quarter of an hour.
    await boss.createQueue(name, {
      policy: 'exclusive',
      retryLimit: 3,
      heartbeatSeconds: heartbeatS,
      expireInSeconds: 3600,
      deleteAfterSeconds: 600,
    })
  }
  const pumps: Pump[] = []
  return {
    wake: async (queue, wakeUps) => {
      const jobs = wakeUps.map(({ key, data }) => ({ id: randomUUID(), data: { key, ...data }, singletonKey: key }))
      const taken = new Set(await boss.insert(queue, jobs, { returnId: true }))
      return jobs.filter(({ id }) => !taken.has(id)).map(({ singletonKey }) => singletonKey)
    },
    work: async (queue, run) => {
      pumps.push(
        startPump({
          boss,
          queue,
          ...QUEUES[queue],
          heartbeatS,
          log,
          run: (job, signal) => runJob(queue, job, signal, run, log),
        }),
      )
    },
    waiting: async (queue, cap) => {
      const { rows } = await boss
        .getDb()
        .executeSql(
          `select count(*)::int as n from (select 1 from ${SCHEMA}.job where name = $1 and state < 'active' limit $2) waiting`,
          [queue, cap],
        )
      return (rows as { n: number }[])[0]?.n ?? 0
    },
    every: (queue, cron) => boss.schedule(queue, cron, {}, { singletonKey: queue }),
    depth: () => depth(boss),
    forget: async (queue, jobIds) => {
      if (jobIds.length > 0) await boss.deleteJob(queue, jobIds)
    },
    stop: async (graceMs) => {
      await Promise.all(pumps.map((pump) => pump.stop(graceMs)))
      await boss.stop({ graceful: false, close: true })
    },
  }
}

/** Only bugs and crashes throw here: what a service does wrong is an outcome, not a failure. */
async function runJob(
  queue: QueueName,
  { id, data: job }: Job<JobData>,
  signal: AbortSignal,
  run: Run,
  log: Log,
): Promise<void> {
  const { key = queue, ...data } = job ?? {}
  try {
    await run({ key, data, jobId: id }, signal)
  } catch (error) {
    log.error('a job failed and will be tried again', { queue, key, error })
    throw error
  }
}

async function depth(boss: PgBoss): Promise<QueueDepth[]> {
  const { rows } = await boss.getDb().executeSql(
    `select name, count(*) filter (where state < 'active')::int as ready, count(*) filter (where state = 'active')::int as active,
       coalesce(extract(epoch from now() - min(start_after) filter (where state < 'active')) * 1000, 0)::float as oldest_ms
     from ${SCHEMA}.job where state <= 'active' and start_after <= now() group by name`,
  )
  const found = new Map(
    (rows as { name: string; ready: number; active: number; oldest_ms: number }[]).map((row) => [row.name, row]),
  )
  return (Object.keys(QUEUES) as QueueName[]).map((queue) => {
    const row = found.get(queue)
    return {
      queue,
      ready: row?.ready ?? 0,
      active: row?.active ?? 0,
      oldestMs: Math.max(0, Math.round(row?.oldest_ms ?? 0)),
    }
  })
}
