import { RUNS_PER_DESTINATION } from '../deps.ts'

/** Limit: concurrent deliveries of a process, over all destinations; further ones wait. Bounds its memory. */
const MAX_RUNS = 24
/** Limit: deliveries of one app that wait for a permit in a process; more would only delay other apps. */
const MAX_WAITING = 4

export interface RunRequest {
  destinationId: string
  appId: string
  /** The last run failed, so this one may hang. */
  isFailing: boolean
}

/** The right to run one delivery, and what the run must know of the others. */
export interface RunPermit {
  /** How many runs of the same destination had a permit when this one got its own. */
  others: number
  /** Whether another run waits for a permit. */
  isWanted: () => boolean
  /** Aborts when the process stops. */
  signal: AbortSignal
  /** Nothing else runs in the process, because a worker died with this destination. */
  alone: boolean
  /** Reports progress. */
  step: (name: string) => void
}

/**
 * Decides which deliveries run in this process. When all permits are in use, the app with the fewest gets the next one. A
 * quarter is reserved for apps that have none, and failing destinations get at most a quarter, so that many that hang leave
 * permits for those that work.
 */
export interface RunLimiter {
  /**
   * Starts up to `count` runs. Resolves when the first has started, or without a run when waiting is pointless: a destination
   * that stays due is planned again.
   */
  acquire(request: RunRequest, count: number, run: (permit: RunPermit) => Promise<void>): Promise<void>
  /** Whether a run of the destination would start or wait now. */
  takes(request: RunRequest): boolean
  /** How many runs are in progress or wait, of one destination or of all. */
  open(destinationId?: string): number
  /** Grants no more permits, aborts the signal of every run and waits for them to end. */
  close(): Promise<void>
}

export function createRunLimiter(maxRuns = MAX_RUNS): RunLimiter {
  const reserved = Math.floor(maxRuns / 4)
  const running = new Set<{ request: RunRequest; done: Promise<void> }>()
  const waiting: { request: RunRequest; admit: () => void }[] = []
  const closing = new AbortController()

  const countRunning = (matches: (request: RunRequest) => boolean) =>
    [...running].filter(({ request }) => matches(request)).length
  const runsOfDestination = (id: string) => countRunning(({ destinationId }) => destinationId === id)
  const runsOfApp = (id: string) => countRunning(({ appId }) => appId === id)
  const isAtLimit = ({ destinationId, isFailing }: RunRequest) =>
    closing.signal.aborted ||
    runsOfDestination(destinationId) >= RUNS_PER_DESTINATION ||
    (isFailing && countRunning((each) => each.isFailing) >= Math.max(1, reserved))
  const hasCapacity = ({ appId }: RunRequest) => running.size < maxRuns - (runsOfApp(appId) > 0 ? reserved : 0)
  const hasEnoughWaiting = ({ destinationId, appId }: RunRequest) =>
    waiting.some(({ request }) => request.destinationId === destinationId) ||
    waiting.filter(({ request }) => request.appId === appId).length >= MAX_WAITING

  function admitNext(): void {
    const admissible = waiting.filter(({ request }) => closing.signal.aborted || hasCapacity(request))
    if (admissible.length === 0) return
    const next = admissible.reduce((best, each) =>
      runsOfApp(each.request.appId) < runsOfApp(best.request.appId) ? each : best,
    )
    waiting.splice(waiting.indexOf(next), 1)
    next.admit()
  }

  function start(request: RunRequest, run: (permit: RunPermit) => Promise<void>): void {
    const permit: RunPermit = {
      others: runsOfDestination(request.destinationId),
      isWanted: () => waiting.length > 0,
      signal: closing.signal,
      alone: false,
      step: () => {},
    }
    const entry = { request, done: Promise.resolve() }
    running.add(entry)
    entry.done = run(permit).finally(() => {
      running.delete(entry)
      admitNext()
    })
    // close() awaits it; until then a failure must not count as an unhandled rejection.
    entry.done.catch(() => {})
  }

  return {
    takes: (request) => !isAtLimit(request) && (hasCapacity(request) || !hasEnoughWaiting(request)),
    open: (id) => {
      const isOf = ({ request: { destinationId } }: { request: RunRequest }) => id === undefined || destinationId === id
      return [...running, ...waiting].filter(isOf).length
    },
    acquire: async (request, count, run) => {
      if (isAtLimit(request)) return
      if (!hasCapacity(request)) {
        if (hasEnoughWaiting(request)) return
        await new Promise<void>((admit) => waiting.push({ request, admit }))
      }
      if (isAtLimit(request)) return admitNext()
      start(request, run)
      for (let more = 1; more < count && !isAtLimit(request) && hasCapacity(request) && waiting.length === 0; more += 1)
        start(request, run)
    },
    close: async () => {
      closing.abort()
      while (waiting.length > 0) admitNext()
      // The runs log their own failures.
      await Promise.allSettled([...running].map(({ done }) => done))
    },
  }
}
