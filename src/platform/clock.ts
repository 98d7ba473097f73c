/** Time comes in as a value, so that tests can move it. Epoch milliseconds everywhere inside. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }
