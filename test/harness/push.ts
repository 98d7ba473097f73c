import { type App, basic } from './app.ts'
import { type Reply, type Running, send } from './send.ts'
import { until } from './until.ts'

/** A destination as the API shows it. */
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

export interface Pusher {
  /** Any call as the app. */
  ask: (method: string, path: string, body?: unknown) => Promise<Reply>
  show: (made: Pick<Shown, 'id'>) => Promise<Shown>
  /** Makes a destination. */
  add: (fields: Record<string, unknown>) => Promise<Shown>
  /** Waits until a destination has received everything. */
  caughtUp: (made: Pick<Shown, 'id'>) => Promise<Shown>
}

/** The calls that an app makes about its destinations. */
export function pusher(running: Running, app: App): Pusher {
  const ask: Pusher['ask'] = (method, path, json) => send(running, method, path, { headers: basic(app), json })
  const show: Pusher['show'] = async ({ id }) => (await ask('GET', `/push/${id}`)).body as unknown as Shown
  return {
    ask,
    show,
    add: async (fields) => {
      const made = await ask('POST', '/push', { name: 'Ours', filter: ['*'], ...fields })
      if (made.status !== 201) throw new Error(`no destination was made: ${made.text}`)
      return made.body as unknown as Shown
    },
    caughtUp: (made) =>
      until(
        'it is caught up',
        () => show(made),
        ({ profiles_behind: behind }) => behind === 0,
      ),
  }
}
