import { RUNS_PER_DESTINATION } from '../deps.ts'

/** Limit: delivery runs of one process at once, over all destinations; further ones wait. This bounds its memory. */
const MAX_RUNS = 24
/** Limit: deliveries of one app that wait for a place in a process; more would only stand before others. */
const MAX_WAITING = 4

export interface RunRequest {
  destinationId: string
  appId: string
  /** It failed last time, and may hang again. */
  isFailing: boolean
}

export interface RunPermit {
  /** How many runs of the same destination were there before. */
  others: number
  /** Whether somebody waits for a place. */
  isWanted: () => boolean
  signal: AbortSignal
  /** With nothing else in the process, because a worker died of this destination. */
  alone: boolean
  /** Tells that the run moves on. */
  step: (name: string) => void
}

/**
 * The runs of this process. A wake-up only lets them in, so that a slow destination keeps no worker from waking others; when all
 * places are taken, the app with the fewest comes in next. A quarter is kept for apps that have none, and no more than a quarter
 * goes to destinations that fail: many that hang leave room for those that work.
 */
export interface RunLimiter {
  /** Starts up to `count` runs; resolves once the first is in, or when there is no use in waiting: whoever is due is woken again. */
  acquire(request: RunRequest, count: number, run: (permit: RunPermit) => Promise<void>): Promise<void>
  /** Lets nobody in, asks everybody to leave and waits for them. */
  close(): Promise<void>
}

export function createRunLimiter(maxRuns = MAX_RUNS): RunLimiter {
  const reserved = Math.floor(maxRuns / 4)
  const running = new Set<{ request: RunRequest; done: Promise<void> }>()
  const waiting: { request: RunRequest; admit: () => void }[] = []
  const closing = new AbortController()

  const countOf = (matches: (request: RunRequest) => boolean) =>
    [...running].filter(({ request }) => matches(request)).length
  const ofDestination = (id: string) => countOf(({ destinationId }) => destinationId === id)
  const ofApp = (id: string) => countOf(({ appId }) => appId === id)
  const isEnough = ({ destinationId, isFailing }: RunRequest) =>
    closing.signal.aborted ||
    ofDestination(destinationId) >= RUNS_PER_DESTINATION ||
    (isFailing && countOf((each) => each.isFailing) >= Math.max(1, reserved))
  const hasCapacity = ({ appId }: RunRequest) => running.size < maxRuns - (ofApp(appId) > 0 ? reserved : 0)
  const wouldNeverRun = ({ destinationId, appId }: RunRequest) =>
    waiting.some(({ request }) => request.destinationId === destinationId) ||
    waiting.filter(({ request }) => request.appId === appId).length >= MAX_WAITING

  function admitNext(): void {
    const admissible = waiting.filter(({ request }) => closing.signal.aborted || hasCapacity(request))
    if (admissible.length === 0) return
    const next = admissible.reduce((best, each) =>
      ofApp(each.request.appId) < ofApp(best.request.appId) ? each : best,
    )
    waiting.splice(waiting.indexOf(next), 1)
    next.admit()
  }

  function start(request: RunRequest, run: (permit: RunPermit) => Promise<void>): void {
    const permit: RunPermit = {
      others: ofDestination(request.destinationId),
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
    // Whoever awaits it hears of a failure; nobody may be waiting yet.
    entry.done.catch(() => {})
  }

  return {
    acquire: async (request, count, run) => {
      if (isEnough(request)) return
      if (!hasCapacity(request)) {
        if (wouldNeverRun(request)) return
        await new Promise<void>((admit) => waiting.push({ request, admit }))
      }
      if (isEnough(request)) return admitNext()
      start(request, run)
      for (let more = 1; more < count && !isEnough(request) && hasCapacity(request) && waiting.length === 0; more += 1)
        start(request, run)
    },
    close: async () => {
      closing.abort()
      while (waiting.length > 0) admitNext()
      // They only have to be over; whoever runs them logs what failed.
      await Promise.allSettled([...running].map(({ done }) => done))
    },
  }
}
