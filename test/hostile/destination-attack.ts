import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { DestinationKind } from '#model/apps/destination.ts'
import { childEnv } from '../harness/child-env.ts'

/** What the child process does with one destination. */
export interface Attack {
  id: number
  kind: DestinationKind
  url: string
  options: Record<string, unknown>
  steps: string[]
  /** Timeout of a response. */
  waitMs: number
  /** Closes the connection this long after the first step started. */
  closeAfterMs?: number | undefined
}

/** `failed` is a DeliveryError; `broken` is any other error. */
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
  /** Disconnects and returns how the process exited: its code or signal, and its output. */
  end: () => Promise<{ code: number | null; signal: NodeJS.Signals | null; wrote: string }>
}

const MAX_HEAP_MB = 192

/** Starts the child process, with little memory. */
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
