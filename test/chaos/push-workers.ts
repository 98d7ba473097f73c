import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { signal } from '#platform/embedded-postgres/processes.ts'
import { childEnv } from '../harness/child-env.ts'
import { until } from '../harness/until.ts'
import { CRASH_POINTS } from './crash-points.ts'
import { signalTree } from './process-tree.ts'
import type { Random } from './push-random.ts'

interface Worker {
  child: ChildProcess
  readyAt: number | undefined
  frozen: boolean
}

/** Delivering processes that get killed. */
export interface Workers {
  counts: { kills: number; freezes: number; starts: number }
  /** Deaths at each crash point. */
  points: Record<string, number>
  /** Kills a running worker; another one replaces it. */
  kill(): Promise<void>
  /** Freezes a worker for longer than its leases, then resumes it. */
  freeze(ms: number): boolean
  /** Resumes all frozen workers. */
  settle(): Promise<void>
  /** The last lines of output of all workers. */
  tail(): string
  end(): Promise<void>
}

export async function startWorkers(count: number, env: Record<string, string>, random: Random): Promise<Workers> {
  const counts = { kills: 0, freezes: 0, starts: 0 }
  const points: Record<string, number> = {}
  const lines: string[] = []
  const pending = new Set<Promise<unknown>>()
  let ending = false

  const leastVisited = () => {
    const fewest = Math.min(...CRASH_POINTS.map((each) => points[each] ?? 0))
    return random.pick(CRASH_POINTS.filter((each) => (points[each] ?? 0) === fewest))
  }
  const start = (): Worker => {
    counts.starts += 1
    // Every second worker dies at a crash point, if it gets there: at the one with the fewest deaths so far, on its first pass.
    const point = counts.starts % 2 === 0 ? leastVisited() : undefined
    const crash = point === undefined ? [] : [point, points[point] === undefined ? 1 : 1 + random.below(4)]
    const child = fork(join(import.meta.dirname, 'worker.ts'), {
      // A crash point ends this process only; the others have worker processes, which end with them.
      env: {
        ...childEnv,
        ...env,
        CHAOS_CRASH: JSON.stringify(crash),
        CHAOS_WORKERS: point === undefined ? 'processes' : 'inline',
      },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    const worker: Worker = { child, readyAt: undefined, frozen: false }
    child.once('message', () => {
      worker.readyAt = performance.now()
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      lines.push(...text.split('\n').filter((line) => line !== ''))
      lines.splice(0, lines.length - 60)
    })
    child.once('exit', (code, by) => {
      const at = workers.indexOf(worker)
      if (at < 0 || ending) return
      // A worker killed while frozen looks the same; those killed from here are removed from the list before.
      if (by === 'SIGKILL' && point !== undefined) points[point] = (points[point] ?? 0) + 1
      else lines.push(`a worker ended by itself: ${code ?? by}`)
      workers[at] = start()
    })
    return worker
  }
  const workers: Worker[] = []
  for (let i = 0; i < count; i += 1) workers.push(start())

  const ready = () => workers.filter(({ readyAt, frozen }) => readyAt !== undefined && !frozen)
  const settle = async () => {
    const areReady = () => workers.every(({ readyAt, frozen }) => readyAt !== undefined && !frozen)
    await until('all workers are ready', areReady).catch((error: unknown) => {
      throw new Error(`workers do not come up:\n${lines.join('\n')}`, { cause: error })
    })
  }
  await settle()
  return {
    counts,
    points,
    settle,
    tail: () => lines.join('\n'),
    kill: async () => {
      await until('a worker is ready', () => ready().length > 0)
      const worker = random.pick(ready())
      workers.splice(workers.indexOf(worker), 1)
      const ended = once(worker.child, 'exit')
      // It may have died at a crash point just now.
      if (worker.child.exitCode === null && worker.child.signalCode === null) {
        signalTree(worker.child.pid!, 'SIGKILL')
        await ended
      }
      counts.kills += 1
      if (!ending) workers.push(start())
    },
    freeze: (ms) => {
      const [worker] = ready()
      if (worker === undefined) return false
      worker.frozen = true
      const frozen = signalTree(worker.child.pid!, 'SIGSTOP')
      counts.freezes += 1
      const thaw = sleep(ms).then(() => {
        for (const pid of frozen) signal(pid, 'SIGCONT')
        worker.frozen = false
      })
      pending.add(thaw)
      void thaw.finally(() => pending.delete(thaw))
      return true
    },
    end: async () => {
      ending = true
      await Promise.all(pending)
      await Promise.all(
        workers.map(async ({ child }) => {
          if (child.exitCode !== null || child.signalCode !== null) return
          const ended = once(child, 'exit')
          signalTree(child.pid!, 'SIGKILL')
          await ended
        }),
      )
    },
  }
}
