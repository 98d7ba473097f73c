import { randomUUID } from 'node:crypto'
import { type Job, PgBoss } from 'pg-boss'
import { keysOf } from '../formats/keys-of.ts'
import type { Queries, Statement } from '../postgres/database.ts'
import type { Log } from '../telemetry/log.ts'
import { createWriteWatch, type WriteWatch } from '../waiting/write-watch.ts'
import { MalformedJob, type ReadPayload } from './job-payloads.ts'
import { countWaitingJobs, DEAD_LETTERS, ENGINE_SCHEMA, jobsOf } from './jobs.ts'
import { type Pump, startPump } from './pump.ts'

interface QueueDefinition<Payload> {
  /** How many jobs one process runs at a time. */
  slots: number
  read: ReadPayload<Payload>
}

/** The queues that a caller defines, with the payload of each. */
export type QueueDefinitions<Payloads> = { [Queue in keyof Payloads]: QueueDefinition<Payloads[Queue]> }

export interface WakeUp<Payload> {
  key: string
  data: Payload
}

type RunJob<Payload> = (wakeUp: WakeUp<Payload> & { jobId: string }, signal: AbortSignal) => Promise<void>

type NameIn<Payloads> = keyof Payloads & string

/**
 * The part of the job engine that the service uses. Delays, order and rate limits are left to its callers, because engines do these
 * badly. A key is in its queue at most once, waiting or running: a second job behind a running one would slow down every fetch.
 */
export interface Engine<Payloads> {
  /** Returns the keys that were refused, because they wait or run already. A caller that wants another run wakes them again. */
  wake<Queue extends NameIn<Payloads>>(queue: Queue, wakeUps: WakeUp<Payloads[Queue]>[]): Promise<string[]>
  /** A job whose payload cannot be read becomes a dead letter and is never run. */
  work<Queue extends NameIn<Payloads>>(queue: Queue, run: RunJob<Payloads[Queue]>): Promise<void>
  /** Wakes a queue on a cron schedule. For a dozen maintenance tasks, never one per object. */
  every(queue: NameIn<Payloads>, cron: string): Promise<void>
  /** How many jobs wait, counted up to `max`. */
  waiting(queue: NameIn<Payloads>, max: number): Promise<number>
  stop(graceMs: number): Promise<void>
}

export interface EngineOptions<Payloads> {
  queues: QueueDefinitions<Payloads>
  url: string
  log: Log
  heartbeatS?: number | undefined
  /** How often a process looks for jobs that others queued, soon after it found some. Those that it queues itself it fetches at once. */
  pollMs?: number | undefined
  /** How often it looks while it finds none. */
  idleMs?: number | undefined
  /** Told of the jobs that are queued, by the names of `jobsOf`. */
  writes?: WriteWatch | undefined
}

/** A job whose worker sends no heartbeat for so long goes to another worker. */
const HEARTBEAT_S = 20
const POLL_MS = 500
/** Limit: time until a process finds a job that another one queued without telling it. */
const MAX_IDLE_MS = 5000
/** Limit: seconds that a job is kept whose payload cannot be read. Then it is deleted. */
const MAX_DEAD_LETTER_S = 14 * 86_400

export async function startEngine<Payloads extends { [Queue in keyof Payloads]: object }>({
  queues,
  url,
  log,
  heartbeatS = HEARTBEAT_S,
  pollMs = POLL_MS,
  idleMs = MAX_IDLE_MS,
  writes = createWriteWatch(),
}: EngineOptions<Payloads>): Promise<Engine<Payloads>> {
  const boss = new PgBoss({
    connectionString: url,
    application_name: 'tributary engine',
    schema: ENGINE_SCHEMA,
    max: 3,
    // How often it looks for silent workers. Both are set, because the monitor's default would limit the supervisor to once a minute.
    superviseIntervalSeconds: Math.ceil(heartbeatS / 4),
    monitorIntervalSeconds: Math.ceil(heartbeatS / 4),
    monitorVacuum: false,
  })
  boss.on('error', (error) => log.warn('the job engine reported an error and continues', { error: error.message }))
  await boss.start()
  await boss.createQueue(DEAD_LETTERS, { retentionSeconds: MAX_DEAD_LETTER_S })
  for (const name of keysOf(queues)) await ensureQueue(boss, name, heartbeatS)
  const queries = queriesOf(boss)
  const pumps: Pump[] = []
  return {
    wake: async (queue, wakeUps) => {
      const jobs = wakeUps.map(({ key, data }) => ({ id: randomUUID(), data: { key, ...data }, singletonKey: key }))
      const accepted = new Set(await boss.insert(queue, jobs, { returnId: true }))
      if (accepted.size > 0) writes.written([jobsOf(queue)])
      return jobs.filter(({ id }) => !accepted.has(id)).map(({ singletonKey }) => singletonKey)
    },
    work: async (queue, run) => {
      const { slots, read } = queues[queue]
      const pump = startPump({
        boss,
        queue,
        slots,
        heartbeatS,
        pollMs,
        idleMs: Math.max(pollMs, idleMs),
        log,
        run: (job, signal) => runJob({ boss, log, queue, read }, job, signal, run),
      })
      pumps.push(pump)
      writes.on([jobsOf(queue)], pump.fetchNow)
    },
    waiting: (queue, max) => countWaitingJobs(queries, queue, max),
    every: (queue, cron) => boss.schedule(queue, cron, {}, { singletonKey: queue }),
    stop: async (graceMs) => {
      await Promise.all(pumps.map((pump) => pump.stop(graceMs)))
      await boss.stop({ graceful: false, close: true })
    },
  }
}

async function ensureQueue(boss: PgBoss, name: string, heartbeatS: number): Promise<void> {
  // A queue keeps the policy it was created with. Dropping one is safe: its wake-ups are planned again.
  const existing = await boss.getQueue(name)
  if (existing !== null && existing.policy !== 'exclusive') await boss.deleteQueue(name)
  await boss.createQueue(name, {
    policy: 'exclusive',
    retryLimit: 3,
    // Without it, the job of a dead worker would wait for a quarter of an hour.
    heartbeatSeconds: heartbeatS,
    expireInSeconds: 3600,
    deleteAfterSeconds: 600,
  })
}

/** Runs our statements on the engine's own connections. */
function queriesOf(boss: PgBoss): Queries {
  const execute = async (text: string, values: readonly unknown[] = []) => {
    const { rows } = await boss.getDb().executeSql(text, [...values])
    return rows as object[]
  }
  return {
    rows: async <Row extends object>({ text, values: bound }: Statement, values = bound) =>
      (await execute(text, values)) as Row[],
    count: async ({ text, values: bound }, values = bound) => (await execute(text, values)).length,
  }
}

interface JobContext<Payload> {
  boss: PgBoss
  log: Log
  queue: string
  read: ReadPayload<Payload>
}

/** Only bugs and crashes throw here; the failure of a service is a result of the job. */
async function runJob<Payload>(
  { boss, log, queue, read }: JobContext<Payload>,
  { id, data }: Job<unknown>,
  signal: AbortSignal,
  run: RunJob<Payload>,
): Promise<void> {
  const fields = fieldsOf(data)
  const key = typeof fields['key'] === 'string' ? fields['key'] : queue
  try {
    await run({ key, data: read(fields), jobId: id }, signal)
  } catch (error) {
    if (!(error instanceof MalformedJob)) {
      log.error('a job failed and will be tried again', { queue, key, error })
      throw error
    }
    log.error('the payload of a job cannot be read; it becomes a dead letter', {
      queue,
      key,
      job: id,
      error: error.message,
    })
    // Under the job's own id, so that a crash after this creates no second dead letter.
    await boss.insert(DEAD_LETTERS, [{ id, data: { queue, key, job: data, error: error.message } }])
  }
}

/** Scheduled jobs have no payload. */
function fieldsOf(data: unknown): Record<string, unknown> {
  return typeof data === 'object' ? { ...data } : {}
}
