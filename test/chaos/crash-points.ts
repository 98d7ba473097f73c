import { writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Client } from 'pg'

/** Points where a crash can fall between two steps that belong together; each has a side before and a side after. */
export const CRASH_POINTS = [
  'destination commit',
  'mysql commit',
  'store commit',
  'lease-take-oldest',
  'lease-advance',
  'lease-finish',
  'lease-remove',
  'delivery-insert',
].flatMap((name) => [`before ${name}`, `after ${name}`])

// The driver does not export the type of the clients that its pools return.
const { PromiseConnection } = createRequire(import.meta.url)('mysql2/promise') as {
  PromiseConnection: { prototype: { query: (...args: unknown[]) => Promise<unknown> } }
}

interface Statement {
  name?: string
  text?: string
}

type Query = (this: Client, statement: Statement | string, ...rest: unknown[]) => unknown

/** Kills this process when it reaches the point for the nth time. */
export function armCrashPoint(point: string, visits: number): void {
  let left = visits
  const pass = (name: string) => {
    if (name !== point) return
    left -= 1
    if (left > 0) return
    writeSync(2, `crash point: ${point}\n`)
    process.kill(process.pid, 'SIGKILL')
  }
  const around = <Result>(name: string | undefined, work: () => Result): Result => {
    if (name === undefined) return work()
    pass(`before ${name}`)
    const result = work()
    if (result instanceof Promise)
      return result.then((value: unknown) => {
        pass(`after ${name}`)
        return value
      }) as Result
    return result
  }

  const query = Reflect.get(Client.prototype, 'query') as Query
  const patched: Query = function (statement, ...rest) {
    const name = nameOf(statement, this)
    const last = rest.at(-1)
    // A pool calls with a callback instead of a promise.
    if (name !== undefined && typeof last === 'function')
      rest[rest.length - 1] = (...response: unknown[]) => {
        pass(`after ${name}`)
        Reflect.apply(last, undefined, response)
      }
    return around(name, () => query.call(this, statement, ...rest))
  }
  Object.assign(Client.prototype, { query: patched })

  const speak = PromiseConnection.prototype.query
  Object.assign(PromiseConnection.prototype, {
    query: function (this: unknown, statement: { sql?: string }, ...rest: unknown[]) {
      const name = statement.sql === 'commit' ? 'mysql commit' : undefined
      return around(name, () => Reflect.apply(speak, this, [statement, ...rest]))
    },
  })
}

function nameOf(statement: Statement | string, client: Client): string | undefined {
  if (statement === 'commit') {
    const { application_name: applicationName } = (
      client as unknown as { connectionParameters: { application_name?: string } }
    ).connectionParameters
    if (applicationName === 'tributary push') return 'destination commit'
    return applicationName === 'tributary' ? 'store commit' : undefined
  }
  return typeof statement === 'object' ? statement.name : undefined
}
