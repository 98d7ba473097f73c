import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { addDestination, type NewDestination } from '#flows/push/manage/destinations.ts'
import type { LoggedDeps } from '#identity/deps.ts'
import { childEnv } from '../harness/child-env.ts'
import { until } from '../harness/until.ts'
import { readStore, type Stored } from './push-compare.ts'
import { openPushHarness } from './push-fixture.ts'

const TUNING = { deliveryTimes: { leaseMs: 1000, sliceMs: 300, firstWaitMs: 50 } }

export interface PushFixture {
  deps: LoggedDeps
  appId: string
  add(fields: Pick<NewDestination, 'kind' | 'url'>): Promise<string>
  /** Starts a worker; an armed one dies when it first reaches that crash point. */
  startWorker(point?: string): { child: ChildProcess; said: () => string }
  /** Waits until everything is delivered. */
  drained(maxMs?: number): Promise<void>
  stored(): Promise<Stored>
  close(): Promise<void>
}

/** Workers that are started and killed one after the other. */
export async function openPushFixture(): Promise<PushFixture> {
  const harness = await openPushHarness()
  const { appId, deps, database } = harness
  const children = new Set<ChildProcess>()
  return {
    deps,
    appId,
    add: async (fields) =>
      (await addDestination(deps, appId, { name: fields.kind, filter: ['*'], ...fields }, 'chaos')).destination.id,
    startWorker: (point) => {
      const child = fork(join(import.meta.dirname, 'worker.ts'), {
        env: {
          ...childEnv,
          ...harness.env,
          CHAOS_TUNING: JSON.stringify(TUNING),
          CHAOS_CRASH: JSON.stringify(point === undefined ? [] : [point, 1]),
        },
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      })
      const lines: string[] = []
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        lines.push(text)
        lines.splice(0, lines.length - 30)
      })
      children.add(child)
      child.once('exit', () => children.delete(child))
      return { child, said: () => lines.join('') }
    },
    drained: async (maxMs) => {
      await until('no cursor is open', harness.open, (open) => open === 0, maxMs)
    },
    stored: () => readStore(database, appId),
    close: async () => {
      await Promise.all(
        [...children].map(async (child) => {
          const ended = once(child, 'exit')
          child.kill('SIGKILL')
          await ended
        }),
      )
      await harness.close()
    },
  }
}
