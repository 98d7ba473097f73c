import type { Clock } from './clock.ts'

/** Remembers answers for a moment, so that a burst of calls asks once; what changed meanwhile is seen soon. */
export interface BriefCache<Value> {
  /** Callers at the same time share one question. A question that failed is asked anew. */
  get(key: string, load: () => Promise<Value>): Promise<Value>
  /** What is remembered, without asking. */
  peek(key: string): Promise<Value> | undefined
  put(key: string, value: Value): void
  drop(key: string): void
  clear(): void
}

export const KEPT_MS = 1000
/** Limit: values held in one cache; then all are dropped. */
const MAX_HELD = 10_000

export function createBriefCache<Value>(clock: Clock, keptMs = KEPT_MS): BriefCache<Value> {
  const kept = new Map<string, { value: Promise<Value>; endsAt: number }>()
  let sweeper: NodeJS.Timeout | undefined

  const set = (key: string, value: Promise<Value>) => {
    if (kept.size >= MAX_HELD) kept.clear()
    kept.set(key, { value, endsAt: clock.now() + keptMs })
    sweeper ??= setTimeout(sweep, 2 * keptMs).unref()
  }
  // Secrets are among what is kept, so that nothing stays longer than it serves.
  const sweep = () => {
    const now = clock.now()
    for (const [key, { endsAt }] of kept) if (endsAt <= now) kept.delete(key)
    sweeper = kept.size === 0 ? undefined : setTimeout(sweep, 2 * keptMs).unref()
  }

  const peek = (key: string) => {
    const known = kept.get(key)
    return known !== undefined && known.endsAt > clock.now() ? known.value : undefined
  }

  return {
    peek,
    get: (key, load) => {
      const known = peek(key)
      if (known !== undefined) return known
      const value = load()
      set(key, value)
      value.catch(() => {
        if (kept.get(key)?.value === value) kept.delete(key)
      })
      return value
    },
    put: (key, value) => set(key, Promise.resolve(value)),
    drop: (key) => void kept.delete(key),
    clear: () => {
      clearTimeout(sweeper)
      sweeper = undefined
      kept.clear()
    },
  }
}
