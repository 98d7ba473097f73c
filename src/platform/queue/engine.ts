import { randomUUID } from 'node:crypto'
import { type Job, PgBoss } from 'pg-boss'
import { keysOf } from '../keys-of.ts'
import type { Queries, Statement } from '../postgres/database.ts'
import type { Log } from '../telemetry/log.ts'
import { MalformedJob } from './job-payloads.ts'
import { type Pump, startPump } from './pump.ts'
import { DEAD_CHARS, ENGINE_SCHEMA, type JobPayloads, jobsWaiting, QUEUES, type QueueName } from './queues.ts'

type Run<Queue extends QueueName> = (wakeUp: WakeUp<Queue> & { jobId: string }, signal: AbortSignal) => Promise<void>

export interface WakeUp<Queue extends QueueName> {
  key: string
  data: JobPayloads[Queue]
}

/** All the service sees of the job engine; what engines do badly (delays, order, rate limits) is not asked of them. */
export interface Engine {
  /** Gives the keys that were not taken, because they wait or are at work already: whoever wants another run asks again. */
  wake<Queue extends QueueName>(queue: Queue, wakeUps: WakeUp<Queue>[]): Promise<string[]>
  /** A job whose payload cannot be read is set aside as a dead letter, and never run. */
  work<Queue extends QueueName>(queue: Queue, run: Run<Queue>): Promise<void>
  /** Wakes a queue by the clock. For a dozen maintenance tasks, never one per object. */
  every(queue: QueueName, cron: string): Promise<void>
  /** How many jobs wait, counted no further than `cap`. */
  waiting(queue: QueueName, cap: number): Promise<number>
  stop(graceMs: number): Promise<void>
}

/** A job whose worker says nothing for so long is taken up by another. */
const HEARTBEAT_S = 20
/** Limit: seconds that a job is kept which nobody can run. Then it is deleted. */
const MAX_DEAD_LETTER_S = 14 * 86_400

export async function startEngine({
  url,
  log,
  heartbeatS = HEARTBEAT_S,
}: {
  url: string
  log: Log
  heartbeatS?: number | undefined
}): Promise<Engine> {
  const boss = new PgBoss({
    connectionString: url,
    application_name: 'tributary engine',
    schema: ENGINE_SCHEMA,
    max: 3,
    // Looks for silent workers this often; the second of the two would otherwise hold the first back to once a minute.
    superviseIntervalSeconds: Math.ceil(heartbeatS / 4),
    monitorIntervalSeconds: Math.ceil(heartbeatS / 4),
    monitorVacuum: false,
  })
  boss.on('error', (error) => log.warn('the job engine met an error and goes on', { error: error.message }))
  await boss.start()
  await boss.createQueue(DEAD_CHARS, { retentionSeconds: MAX_DEAD_LETTER_S })
  for (const name of keysOf(QUEUES)) {
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
  const ask = async (text: string, values: readonly unknown[] = []) => {
    const { rows } = await boss.getDb().executeSql(text, [...values])
    return rows as object[]
  }
  const queries: Queries = {
    rows: async <Row extends object>({ text, values: bound }: Statement, values = bound) =>
      (await ask(text, values)) as Row[],
    count: async ({ text, values: bound }, values = bound) => (await ask(text, values)).length,
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
          slots: QUEUES[queue].slots,
          heartbeatS,
          log,
          run: (job, signal) => runJob({ boss, log, queue }, job, signal, run),
        }),
      )
    },
    waiting: (queue, cap) => jobsWaiting(queries, queue, cap),
    every: (queue, cron) => boss.schedule(queue, cron, {}, { singletonKey: queue }),
    stop: async (graceMs) => {
      await Promise.all(pumps.map((pump) => pump.stop(graceMs)))
      await boss.stop({ graceful: false, close: true })
    },
  }
}

/** Only bugs and crashes throw here: what a service does wrong is an outcome, not a failure. */
async function runJob<Queue extends QueueName>(
  { boss, log, queue }: { boss: PgBoss; log: Log; queue: Queue },
  { id, data }: Job<unknown>,
  signal: AbortSignal,
  run: Run<Queue>,
): Promise<void> {
  const given = fieldsOf(data)
  const key = typeof given['key'] === 'string' ? given['key'] : queue
  try {
    await run({ key, data: QUEUES[queue].read(given), jobId: id }, signal)
  } catch (error) {
    if (!(error instanceof MalformedJob)) {
      log.error('a job failed and will be tried again', { queue, key, error })
      throw error
    }
    log.error('a job cannot be read and is set aside', { queue, key, job: id, error: error.message })
    // By the job's own id, so that a crash right after this makes no second one.
    await boss.insert(DEAD_CHARS, [{ id, data: { queue, key, job: data, error: error.message } }])
  }
}

/** Jobs that a clock makes carry nothing at all. */
function fieldsOf(data: unknown): Record<string, unknown> {
  return typeof data === 'object' ? { ...data } : {}
}
