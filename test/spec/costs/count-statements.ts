import { setImmediate as turn } from 'node:timers/promises'
import { Client } from 'pg'
import { knownStatements } from '#platform/postgres/database.ts'
import { PLACEMENTS } from '#store/cluster/placement.ts'

/** What an operation asked of the database. */
export interface Cost {
  /** How often each statement was sent, by name. `begin` and `commit` are among them. */
  statements: Record<string, number>
  /** How often an answer of the database was waited for. */
  roundTrips: number
  transactions: number
}

/** Turns of the event loop without a statement after which what was begun has ended: between two statements are promises only. */
const QUIET_TURNS = 25

type Query = (this: Client, ...args: unknown[]) => unknown
type Connect = (this: Client, ...args: unknown[]) => unknown

export interface StatementCounter {
  /** Counts what is sent until `work` and everything that it left behind has ended, but not what `isIgnored` names. */
  during(work: () => Promise<unknown>, isIgnored?: (name: string) => boolean): Promise<Cost>
  /** Resolves when no statement runs, and none follows. */
  ended: () => Promise<void>
  /** Holds statements, and after `begin` sends them in rounds: all that wait together, when nothing else can happen. Returns a function that ends it. */
  inRounds(begin: Promise<void>): () => void
  /** The connections of the service. */
  connections(): Client[]
  release(): void
}

/** Counts every statement that the service of this process sends, on every pool, also inside of transactions. */
export function countStatements(): StatementCounter {
  const query = Reflect.get(Client.prototype, 'query') as Query
  const connect = Reflect.get(Client.prototype, 'connect') as Connect
  /** What runs on each connection, in order; undefined for what is not counted. */
  const known = new Map<Client, (string | undefined)[]>()
  let [running, connecting, roundTrips] = [0, 0, 0]
  let sent: string[] = []
  let held: (() => void)[] | undefined
  let ignores: (name: string) => boolean = () => false

  const send = (client: Client, args: unknown[]) => {
    running += 1
    const name = labelOf(client, args[0])
    const label = name === undefined || ignores(name) ? undefined : name
    known.get(client)!.push(label)
    if (label !== undefined) sent.push(label)
    return query.apply(client, args)
  }
  Object.assign(Client.prototype, {
    connect(this: Client, ...args: unknown[]) {
      connecting += 1
      this.once('error', () => {})
      this.connection.once('readyForQuery', () => {
        connecting -= 1
      })
      return connect.apply(this, args)
    },
    query(this: Client, ...args: unknown[]) {
      if (!isOurs(this)) return query.apply(this, args)
      if (!known.has(this)) {
        const labels: (string | undefined)[] = []
        known.set(this, labels)
        let isCounted = false
        this.connection.on('readyForQuery', () => {
          running -= 1
          isCounted = labels.shift() !== undefined || isCounted
          // Statements that were sent together are waited for once.
          if (labels.length > 0) return
          if (isCounted) roundTrips += 1
          isCounted = false
        })
        this.once('end', () => known.delete(this))
      }
      if (held === undefined) return send(this, args)
      const queue = held
      return new Promise((resolve) => {
        queue.push(() => resolve(send(this, args)))
      })
    },
  })

  const ended = async () => {
    for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
      await turn()
      if (running > 0 || connecting > 0) quiet = 0
    }
  }
  const sendRounds = async (queue: (() => void)[], begin: Promise<void>) => {
    await begin
    const isHeld = () => held === queue
    while (isHeld()) {
      await ended()
      for (const release of queue.splice(0)) release()
    }
    for (const release of queue.splice(0)) release()
  }

  return {
    during: async (work, isIgnored = () => false) => {
      await ended()
      sent = []
      roundTrips = 0
      ignores = isIgnored
      await work()
      await ended()
      ignores = () => false
      return { statements: countsOf(sent), roundTrips, transactions: sent.filter((name) => name === 'begin').length }
    },
    ended,
    inRounds: (begin) => {
      const queue: (() => void)[] = []
      held = queue
      void sendRounds(queue, begin)
      return () => {
        held = undefined
      }
    },
    connections: () => [...known.keys()].filter((client) => nameOf(client) === 'tributary'),
    release: () => Object.assign(Client.prototype, { query, connect }),
  }
}

function countsOf(names: string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** Which pool a connection is of. */
const nameOf = (client: Client) =>
  (client as unknown as { connectionParameters: { application_name?: string } }).connectionParameters.application_name
const isOurs = (client: Client) => nameOf(client)?.startsWith('tributary') === true

/** The name of a statement in the table of costs. */
function labelOf(client: Client, query: unknown): string {
  const { name = '', text } = (typeof query === 'string' ? { text: query } : query) as { name?: string; text: string }
  const [word] = /^(begin|commit|rollback)\b/.exec(text) ?? []
  if (nameOf(client) === 'tributary' && word !== undefined) return word
  if (name !== '' && !name.startsWith('auto-')) return name
  const ours = knownStatements().find((each) => each.text === text)
  if (ours !== undefined) return ours.name
  const tables = [...text.matchAll(/\b(?:from|join|into|update) (\w+)/g)].map(([, table]) => table!)
  return `composed of ${[...new Set(tables)]
    .filter((table) => PLACEMENTS.has(table))
    .toSorted()
    .join(' + ')}`
}
