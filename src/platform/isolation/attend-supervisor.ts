import { reasonOf } from '../errors.ts'
import { createJobLedger, type JobLedger } from './job-ledger.ts'
import type { Notice, Order } from './protocol.ts'

/** The type of a method, whose parameters are bivariant: each handler may declare the type of its own input. */
type TaskHandler = { run(input: unknown, signal: AbortSignal): Promise<unknown> }['run']

export interface Attending {
  tasks: Record<string, TaskHandler>
  /** Sent along with each heartbeat. */
  report: () => unknown
  stop: () => Promise<void>
}

/** The processes below the same supervisor, which tell each other what they have written. */
export interface Others {
  tell: (names: string[]) => void
  /** Calls `hear` with what others have written. */
  listen: (hear: (names: string[]) => void) => void
}

const BEAT_MS = 1000

/** The worker's side: boots on order, sends heartbeats, runs tasks, stops on order, and exits when its supervisor exits. */
export function attendSupervisor(
  boot: (settings: unknown, ledger: JobLedger, others: Others) => Promise<Attending>,
): void {
  const send = (notice: Notice) => {
    // After the supervisor has exited there is no channel, and this process exits next.
    if (process.connected) process.send!(notice, undefined, {}, () => {})
  }
  const running = new Map<number, AbortController>()
  let attending: Attending | undefined
  let hear = (_names: string[]) => {}
  const others: Others = {
    tell: (names) => send({ kind: 'written', names }),
    listen: (listener) => {
      hear = listener
    },
  }

  async function runTask({ id, name, input }: Extract<Order, { kind: 'task' }>): Promise<void> {
    const cancelling = new AbortController()
    running.set(id, cancelling)
    try {
      const task = attending?.tasks[name]
      if (task === undefined) throw new Error(`This worker has no task named “${name}”`)
      send({ kind: 'result', id, value: await task(input, cancelling.signal) })
    } catch (error) {
      send({ kind: 'failed', id, message: reasonOf(error) })
    } finally {
      running.delete(id)
    }
  }

  async function begin(settings: unknown): Promise<void> {
    attending = await boot(settings, createJobLedger(send), others)
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
    // A boot or a stop that fails ends the process; the supervisor reports it.
    if (order.kind === 'boot') void begin(order.boot)
    else if (order.kind === 'task') void runTask(order)
    else if (order.kind === 'cancel') running.get(order.id)?.abort()
    else if (order.kind === 'written') hear(order.names)
    else void end()
  })
  // Running jobs go to other workers when their leases expire.
  process.on('disconnect', () => process.exit(1))
  // The supervisor decides when a worker stops; signals to the process group are meant for the supervisor.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
}
