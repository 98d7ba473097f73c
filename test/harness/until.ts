import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'

/** The first looks come soon, later ones seldom: looking takes time from what is waited for. */
const FIRST_WAIT_MS = 10
const MAX_WAIT_MS = 100
/** Long, for slow machines: no test is about how long something takes. */
const MAX_MS = 90_000

type Found<Value> = Exclude<Value, false | null | undefined>

/** Looks again and again until there is something, or until it is as wanted; gives it. Fails with the name of what did not come. */
export async function until<Value>(
  what: string,
  look: () => Value | Promise<Value>,
  isSo: (value: Value) => boolean = isPresent,
  maxMs = MAX_MS,
): Promise<Found<Value>> {
  const endMs = performance.now() + maxMs
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(MAX_WAIT_MS, waitMs * 1.3)) {
    const value = await look()
    if (isSo(value)) return value as Found<Value>
    if (performance.now() > endMs)
      throw new Error(`This did not happen: ${what}. Last seen: ${inspect(value, { depth: 5 })}`)
    await sleep(waitMs)
  }
}

function isPresent(value: unknown): boolean {
  return value !== false && value !== null && value !== undefined
}
