/**
 * Ends the sleep of loops that wait for work: by the names of the tables that were written. A
 * wake-up may be lost, for example with the process that should have sent it, so nobody sleeps for long.
 */
export interface WriteWatch {
  /** This process wrote there. */
  written: (names: Iterable<string>) => void
  /** Another process wrote there. */
  heard: (names: Iterable<string>) => void
  /** Calls `wake` after each write there. Returns a function that ends this. */
  on: (names: readonly string[], wake: () => void) => () => void
  /** Has other processes told what this one writes there. */
  tellOthers: (names: readonly string[], tell: (names: string[]) => void) => void
}

/** Writes within this time are told in one message. */
const GATHER_MS = 10

export function createWriteWatch(): WriteWatch {
  const waiting = new Map<string, Set<() => void>>()
  const told = new Set<string>()
  let untold = new Set<string>()
  let tell: ((names: string[]) => void) | undefined

  const tellSoon = (name: string) => {
    untold.add(name)
    if (untold.size > 1) return
    setTimeout(() => {
      const names = [...untold]
      untold = new Set()
      tell?.(names)
    }, GATHER_MS).unref()
  }
  const wakeOne = (name: string) => {
    for (const wake of waiting.get(name) ?? []) wake()
  }
  return {
    written: (names) => {
      for (const name of names) {
        wakeOne(name)
        if (told.has(name) && !untold.has(name)) tellSoon(name)
      }
    },
    heard: (names) => {
      for (const name of names) wakeOne(name)
    },
    on: (names, wake) => {
      for (const name of names) waiting.set(name, (waiting.get(name) ?? new Set()).add(wake))
      return () => {
        for (const name of names) waiting.get(name)?.delete(wake)
      }
    },
    tellOthers: (names, send) => {
      for (const name of names) told.add(name)
      tell = send
    },
  }
}
