import { reasonOf } from '../errors.ts'
import { createJobLedger, type JobLedger } from './job-ledger.ts'
import type { Notice, Order } from './protocol.ts'

/** Taken from a method, so that each may say what its input is: whoever asks for a task knows it by its name. */
type TaskHandler = { run(input: unknown, signal: AbortSignal): Promise<unknown> }['run']

export interface Attending {
  tasks: Record<string, TaskHandler>
  /** Sent along with each heartbeat. */
  report: () => unknown
  stop: () => Promise<void>
}

const BEAT_MS = 1000

/** The worker's side: boots once it is told with what, beats, runs tasks, stops when told, and ends with its supervisor. */
export function attendSupervisor(boot: (given: unknown, ledger: JobLedger) => Promise<Attending>): void {
  const send = (notice: Notice) => {
    // Between the end of the supervisor and our own there is nobody to tell.
    if (process.connected) process.send!(notice, undefined, {}, () => {})
  }
  const running = new Map<number, AbortController>()
  let attending: Attending | undefined

  async function runTask({ id, name, input }: Extract<Order, { kind: 'task' }>): Promise<void> {
    const leaving = new AbortController()
    running.set(id, leaving)
    try {
      const task = attending?.tasks[name]
      if (task === undefined) throw new Error(`This worker has no task named ${name}`)
      send({ kind: 'result', id, value: await task(input, leaving.signal) })
    } catch (error) {
      send({ kind: 'failed', id, message: reasonOf(error) })
    } finally {
      running.delete(id)
    }
  }

  async function begin(given: unknown): Promise<void> {
    attending = await boot(given, createJobLedger(send))
    const beat = () =>
      send({ kind: 'beat', memoryBytes: process.memoryUsage.rss(), report: attending?.report() ?? undefined })
    setInterval(beat, BEAT_MS)
    send({ kind: 'ready' })
  }

  async function end(): Promise<never> {
    await attending?.stop()
    process.exit(0)
  }

  process.on('message', (order: Order) => {
    // A boot or a stop that fails ends the process; the supervisor tells the reason.
    if (order.kind === 'boot') void begin(order.boot)
    else if (order.kind === 'task') void runTask(order)
    else if (order.kind === 'cancel') running.get(order.id)?.abort()
    else void end()
  })
  // What is under way is taken up by others when its lease ends.
  process.on('disconnect', () => process.exit(1))
  // The supervisor decides when we stop; signals to the whole group are meant for it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
}
