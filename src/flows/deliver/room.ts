import { RUNS_PER_DESTINATION } from './need.ts'

/** So many runs of a process at once, over all destinations: what bounds its memory. */
const PLACES = 24
/** Limit: deliveries of one app that wait for a place in a process; more would only stand before others. */
const MAX_WAITING = 4

export interface Guest {
  destinationId: string
  appId: string
  /** It failed last time, and may hang again. */
  isFailing: boolean
}

export interface Stay {
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
export interface Room {
  /** Starts up to `count` runs; resolves once the first is in, or when there is no use in waiting: whoever is due is woken again. */
  enter(guest: Guest, count: number, run: (stay: Stay) => Promise<void>): Promise<void>
  /** Lets nobody in, asks everybody to leave and waits for them. */
  close(): Promise<void>
}

export function createRoom(places = PLACES): Room {
  const kept = Math.floor(places / 4)
  const inside = new Set<{ guest: Guest; done: Promise<void> }>()
  const waiting: { guest: Guest; admit: () => void }[] = []
  const closing = new AbortController()

  const countOf = (matches: (guest: Guest) => boolean) => [...inside].filter(({ guest }) => matches(guest)).length
  const ofDestination = (id: string) => countOf(({ destinationId }) => destinationId === id)
  const ofApp = (id: string) => countOf(({ appId }) => appId === id)
  const isEnough = ({ destinationId, isFailing }: Guest) =>
    closing.signal.aborted ||
    ofDestination(destinationId) >= RUNS_PER_DESTINATION ||
    (isFailing && countOf((each) => each.isFailing) >= Math.max(1, kept))
  const hasPlace = ({ appId }: Guest) => inside.size < places - (ofApp(appId) > 0 ? kept : 0)
  const isInVain = ({ destinationId, appId }: Guest) =>
    waiting.some(({ guest }) => guest.destinationId === destinationId) ||
    waiting.filter(({ guest }) => guest.appId === appId).length >= MAX_WAITING

  function admitNext(): void {
    const welcome = waiting.filter(({ guest }) => closing.signal.aborted || hasPlace(guest))
    if (welcome.length === 0) return
    const next = welcome.reduce((best, each) => (ofApp(each.guest.appId) < ofApp(best.guest.appId) ? each : best))
    waiting.splice(waiting.indexOf(next), 1)
    next.admit()
  }

  function start(guest: Guest, run: (stay: Stay) => Promise<void>): void {
    const stay: Stay = {
      others: ofDestination(guest.destinationId),
      isWanted: () => waiting.length > 0,
      signal: closing.signal,
      alone: false,
      step: () => {},
    }
    const entry = { guest, done: Promise.resolve() }
    inside.add(entry)
    entry.done = run(stay).finally(() => {
      inside.delete(entry)
      admitNext()
    })
    // Whoever awaits it hears of a failure; nobody may be waiting yet.
    entry.done.catch(() => {})
  }

  return {
    enter: async (guest, count, run) => {
      if (isEnough(guest)) return
      if (!hasPlace(guest)) {
        if (isInVain(guest)) return
        await new Promise<void>((admit) => waiting.push({ guest, admit }))
      }
      if (isEnough(guest)) return admitNext()
      start(guest, run)
      for (let more = 1; more < count && !isEnough(guest) && hasPlace(guest) && waiting.length === 0; more += 1)
        start(guest, run)
    },
    close: async () => {
      closing.abort()
      while (waiting.length > 0) admitNext()
      // They only have to be over; whoever runs them logs what failed.
      await Promise.allSettled([...inside].map(({ done }) => done))
    },
  }
}
