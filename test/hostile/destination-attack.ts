import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { DestinationKind } from '#model/destination.ts'
import { childEnv } from '../harness/child-env.ts'

/** What the code under attack is to do with one destination. */
export interface Attack {
  id: number
  kind: DestinationKind
  url: string
  options: Record<string, unknown>
  steps: string[]
  /** How long it waits for a response. */
  waitMs: number
  /** The connection is closed so long after the first step began. */
  closeAfterMs?: number | undefined
}

/** `failed` is an ordinary failure of a delivery; `broken` is anything else. */
export interface Outcome {
  ended: 'done' | 'failed' | 'broken'
  said: string
}

export interface Result {
  id: number
  outcomes: Outcome[]
  rss: number
}

export interface Attacked {
  attack: (attack: Omit<Attack, 'id' | 'options' | 'waitMs'> & Partial<Attack>) => Promise<Result>
  /** Lets go of it, and gives how it ended by itself: its code or signal, and what it wrote to its outputs. */
  end: () => Promise<{ code: number | null; signal: NodeJS.Signals | null; wrote: string }>
}

const MAX_HEAP_MB = 192

/** Starts the code under attack in a process with little memory. */
export function startAttacked(): Attacked {
  const child: ChildProcess = fork(join(import.meta.dirname, 'destination-child.ts'), [], {
    execArgv: [`--max-old-space-size=${MAX_HEAP_MB}`],
    env: childEnv,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let wrote = ''
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => {
      if (wrote.length < 100_000) wrote += text
    })
  const waiting = new Map<number, (result: Result) => void>()
  let last = 0
  const exited = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  child.on('message', (result: Result) => {
    waiting.get(result.id)?.(result)
    waiting.delete(result.id)
  })
  const died = exited.then(([code, signal]) => {
    throw new Error(`the process ended with ${code ?? signal}:\n${wrote.slice(-3000)}`)
  })
  died.catch(() => {})
  return {
    attack: (given) => {
      const id = ++last
      const result = new Promise<Result>((resolve) => waiting.set(id, resolve))
      child.send({ options: {}, waitMs: 300, ...given, id } satisfies Attack)
      return Promise.race([result, died])
    },
    end: async () => {
      if (child.connected) child.send('end')
      const [code, signal] = await exited
      return { code, signal, wrote }
    },
  }
}
