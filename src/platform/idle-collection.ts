import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** How often a process looks whether it is idle. */
const LOOK_EVERY_MS = 10_000
/** The share of a core below which a process is idle. */
const IDLE_SHARE = 0.05
/** What the heap must have grown by since the last collection; less is not worth the next one. */
const WORTHWHILE_BYTES = 4 * 1024 * 1024
/** Limit: bytes of a heap that is collected when idle. Collecting a larger one would delay a request that arrives meanwhile. */
const MAX_COLLECTED_HEAP_BYTES = 128 * 1024 * 1024

interface Process {
  /** Milliseconds of any clock. */
  now: () => number
  /** Milliseconds of processor time since the process began. */
  cpuMs: () => number
  heapBytes: () => number
  collect: () => void
}

/**
 * V8 collects while a process allocates. One that has become idle keeps what its start or its last sync left, so it is collected once
 * then. The function that is returned ends this.
 */
export function collectWhenIdle(): () => void {
  const look = idleCollection({
    now: () => performance.now(),
    cpuMs: () => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000,
    heapBytes: () => getHeapStatistics().total_heap_size,
    collect: collectEverything,
  })
  const timer = setInterval(look, LOOK_EVERY_MS).unref()
  return () => clearInterval(timer)
}

/** Returns the function that looks, and collects if the process has been idle since the last look and has grown. */
export function idleCollection({ now, cpuMs, heapBytes, collect }: Process): () => void {
  let last = { atMs: now(), cpuMs: cpuMs() }
  let collectedBytes = 0
  return () => {
    const current = { atMs: now(), cpuMs: cpuMs() }
    const share = (current.cpuMs - last.cpuMs) / Math.max(1, current.atMs - last.atMs)
    last = current
    const bytes = heapBytes()
    if (share >= IDLE_SHARE || bytes < collectedBytes + WORTHWHILE_BYTES || bytes > MAX_COLLECTED_HEAP_BYTES) return
    collect()
    collectedBytes = heapBytes()
    // The time of the collection is not work.
    last = { atMs: now(), cpuMs: cpuMs() }
  }
}

let collector: ((how: object) => void) | undefined

/** Also frees compiled code that is not in use, and moves what is left together. */
export function collectEverything(): void {
  collector ??= openCollector()
  collector({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** Node offers it by a flag only. The flag is reset, because code in the compile cache is valid for one set of flags. */
function openCollector(): (how: object) => void {
  setFlagsFromString('--expose-gc')
  try {
    return runInNewContext('gc') as (how: object) => void
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}
