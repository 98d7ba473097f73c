import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'

/** The first probes come soon, later ones seldom: a probe takes time from what it waits for. */
const FIRST_WAIT_MS = 10
const MAX_WAIT_MS = 100
/** Long, for slow machines: no test asserts how long something takes. */
const MAX_MS = 180_000

type Found<Value> = Exclude<Value, false | null | undefined>

/**
 * Repeats a probe until `isDone` accepts its value (by default: anything but false, null and undefined); returns that
 * value. After `maxMs` it fails with `what` and the last value.
 */
export async function until<Value>(
  what: string,
  probe: () => Value | Promise<Value>,
  isDone: (value: Value) => boolean = isPresent,
  maxMs = MAX_MS,
): Promise<Found<Value>> {
  const endMs = performance.now() + maxMs
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(MAX_WAIT_MS, waitMs * 1.3)) {
    const value = await probe()
    if (isDone(value)) return value as Found<Value>
    if (performance.now() > endMs)
      throw new Error(`Timed out waiting until ${what}. Last seen: ${inspect(value, { depth: 5 })}`)
    await sleep(waitMs)
  }
}

function isPresent(value: unknown): boolean {
  return value !== false && value !== null && value !== undefined
}
