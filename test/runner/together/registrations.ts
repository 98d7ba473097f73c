import * as runner from 'node:test'

// Test files that share a process import this instead of node:test (see files.ts). What a file registers at its top
// level is collected, so that it can be registered inside a suite of that file: its hooks then run for its own tests.

/** Registers a test, suite or hook with the test runner. */
type Registration = () => void

let collected: Registration[] | undefined

/** Calls the function of the test runner, or keeps the call for later while a file is loaded. */
function deferring<Parameters extends unknown[]>(register: (...given: Parameters) => unknown) {
  return (...given: Parameters): void => {
    if (collected === undefined) register(...given)
    else collected.push(() => register(...given))
  }
}

export const test = deferring(runner.test)
export const suite = deferring(runner.suite)
export const before = deferring(runner.before)
export const after = deferring(runner.after)
export const beforeEach = deferring(runner.beforeEach)
export const afterEach = deferring(runner.afterEach)

/** Loads a test file and returns what it registers. */
export async function registrationsOf(load: () => Promise<unknown>): Promise<Registration[]> {
  const registrations: Registration[] = []
  collected = registrations
  try {
    await load()
  } finally {
    collected = undefined
  }
  return registrations
}
