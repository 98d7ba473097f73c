import type { Clock } from '#base/clock.ts'

/** Remembers answers for about a second, so that a burst of calls asks once; what changed meanwhile is seen soon. */
export interface BriefCache<Value> {
  /** Callers at the same time share one question. A question that failed is asked anew. */
  get(key: string, load: () => Promise<Value>): Promise<Value>
  put(key: string, value: Value): void
  clear(): void
}

export const KEPT_MS = 1000
const MOST = 10_000

export function createBriefCache<Value>(clock: Clock, keptMs = KEPT_MS): BriefCache<Value> {
  const kept = new Map<string, { value: Promise<Value>; endsAt: number }>()
  let sweeper: NodeJS.Timeout | undefined

  const set = (key: string, value: Promise<Value>) => {
    if (kept.size >= MOST) kept.clear()
    kept.set(key, { value, endsAt: clock.now() + keptMs })
    sweeper ??= setTimeout(sweep, 2 * keptMs).unref()
  }
  // Secrets are among what is kept, so that nothing stays longer than it serves.
  const sweep = () => {
    const now = clock.now()
    for (const [key, { endsAt }] of kept) if (endsAt <= now) kept.delete(key)
    sweeper = kept.size === 0 ? undefined : setTimeout(sweep, 2 * keptMs).unref()
  }

  return {
    get: (key, load) => {
      const known = kept.get(key)
      if (known !== undefined && known.endsAt > clock.now()) return known.value
      const value = load()
      set(key, value)
      value.catch(() => {
        if (kept.get(key)?.value === value) kept.delete(key)
      })
      return value
    },
    put: (key, value) => set(key, Promise.resolve(value)),
    clear: () => {
      clearTimeout(sweeper)
      sweeper = undefined
      kept.clear()
    },
  }
}
