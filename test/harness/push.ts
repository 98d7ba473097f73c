import { type App, basic } from './app.ts'
import { type Reply, type Running, send } from './send.ts'
import { until } from './until.ts'

/** A destination as the API returns it. */
export interface Shown {
  id: string
  state: string
  url: string
  rows: number
  profiles: number
  profiles_behind: number
  profiles_failing: number
  changes_behind: number
  dead_letters: number
  last_error?: string
  secret?: string
  [field: string]: unknown
}

/** An app as a client of the push API. */
export interface Pusher {
  /** Sends a request with the credentials of the app. */
  request: (method: string, path: string, body?: unknown) => Promise<Reply>
  /** Reads a destination. */
  show: (made: Pick<Shown, 'id'>) => Promise<Shown>
  /** Creates a destination. */
  add: (fields: Record<string, unknown>) => Promise<Shown>
  /** Waits until a destination has received every change of every profile. */
  caughtUp: (made: Pick<Shown, 'id'>) => Promise<Shown>
}

/** Names are unique within an app, of which there may be several clients. */
let made = 0

/** Creates a client of the push API for an app. */
export function pusher(running: Running, app: App): Pusher {
  const request: Pusher['request'] = (method, path, json) => send(running, method, path, { headers: basic(app), json })
  const show: Pusher['show'] = async ({ id }) => (await request('GET', `/push/${id}`)).body as unknown as Shown
  return {
    request,
    show,
    add: async (fields) => {
      made += 1
      const { status, text, body } = await request('POST', '/push', { name: `Ours ${made}`, filter: ['*'], ...fields })
      if (status !== 201) throw new Error(`The destination was not created: ${text}`)
      return body as unknown as Shown
    },
    caughtUp: (destination) =>
      until(
        'the destination has caught up',
        () => show(destination),
        ({ profiles_behind: behind }) => behind === 0,
      ),
  }
}
