import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Random, seededRandom } from '../../lab/base/random.ts'

export interface Thing {
  id: string
  at: number
  text?: string
  seq?: number
  deleted?: boolean
}

interface Person {
  app: number
  list: Map<string, Thing>
  /** Every change at the other endpoint, oldest first; a record moves to the end when it changes again. */
  changes: Map<string, Thing>
  seq: number
  flying: Set<Flight>
}

interface Flight {
  worker: number
  app: number
  at: number
}

export interface ServiceOptions {
  seed: number
  people: number
  apps: number
  latencyMs: [least: number, most: number]
  /** Share of calls that fail. */
  faults: number
  windowMs: number
}

export interface Measured {
  calls: number
  failed: number
  /** Two calls for one person in flight at once, by workers that were both running. */
  overlaps: number
  /** The same by a worker that had been frozen: its call is wasted and its result is rejected. */
  zombieCalls: number
  /** The largest number of calls of one app in any window. */
  worstWindow: number
  /** Walks started, per person and endpoint. */
  runs: { least: number; most: number }
}

const PAGE = 25
const FIRST = 20

/** A service whose data changes constantly, that fails now and then, and that records how it is called. */
export async function startChaosService(options: ServiceOptions) {
  const random = seededRandom(options.seed)
  const wire = random.fork('wire')
  const people = Array.from({ length: options.people }, (_, i) => newPerson(random, i % options.apps))
  const callsOf = Array.from({ length: options.apps }, () => [] as number[])
  const runs = new Map<string, number>()
  const begun = new Map<string, number>()
  const asleep = new Map<number, number>()
  const callers = new Map<number, number[]>()
  const counts = { calls: 0, failed: 0, overlaps: 0, zombieCalls: 0 }
  let faults = options.faults

  const isZombie = ({ worker }: Flight) => (asleep.get(worker) ?? 0) > Date.now()

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://chaos')
    const number = Number(/^Bearer chaos-(\d+)$/.exec(request.headers.authorization ?? '')?.[1])
    const person = people[number]
    if (person === undefined) return response.writeHead(401).end()
    const flight = board(person, request, response)
    callers.set(number, [...(callers.get(number) ?? []), flight.worker])
    const name = `${number} ${url.pathname}`
    const isFirst = url.pathname === '/changes' || url.searchParams.get('page') === '1'
    if (isFirst) {
      runs.set(name, (runs.get(name) ?? 0) + 1)
      if (!begun.has(name)) begun.set(name, Date.now())
    }
    // The response is the state at the time of the call, however long the response takes.
    const reply = url.pathname === '/list' ? listPage(person, url) : changesPage(person, url)
    const delayMs = wire.int(...options.latencyMs)
    const fails = wire.chance(faults)
    if (fails) counts.failed += 1
    setTimeout(() => (fails ? misbehave(wire, response, reply) : send(response, 200, reply)), delayMs)
    return flight
  })

  function board(person: Person, request: IncomingMessage, response: ServerResponse): Flight {
    const flight = { worker: Number(request.headers['x-worker']), app: person.app, at: Date.now() }
    counts.calls += 1
    callsOf[person.app]!.push(flight.at)
    for (const other of person.flying) {
      if (isZombie(other) || isZombie(flight)) counts.zombieCalls += 1
      else counts.overlaps += 1
    }
    person.flying.add(flight)
    response.on('close', () => person.flying.delete(flight))
    return flight
  }

  let changing: NodeJS.Timeout | undefined
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    people,
    /** Changes the data of this many people per second until stopped. */
    change: (perSecond: number) => {
      changing = setInterval(() => {
        for (let i = 0; i < perSecond / 20; i += 1) mutate(random, random.pick(people))
      }, 50)
    },
    calm: () => {
      clearInterval(changing)
      faults = 0
      begun.clear()
    },
    /** When the first walk over data that no longer changes began. */
    calmSince: (person: string, endpoint: string) => begun.get(`${person} /${endpoint}`),
    /** A frozen worker counts as frozen for a while after the thaw: what it does then, it began before. */
    sleeps: (worker: number, untilMs: number) => asleep.set(worker, untilMs),
    /** The people for whom these processes wait for a response. */
    waitingFor: (workers: number[]): number[] =>
      people.flatMap(({ flying }, number) =>
        [...flying].some(({ worker }) => workers.includes(worker)) ? [number] : [],
      ),
    /** The processes that called for a person, one for each call, oldest first. */
    callersFor: (person: number): number[] => callers.get(person) ?? [],
    measured: (): Measured => {
      const perPair = people.flatMap((_, i) => ['/list', '/changes'].map((path) => runs.get(`${i} ${path}`) ?? 0))
      return {
        ...counts,
        worstWindow: Math.max(...callsOf.map((times) => worst(times, options.windowMs))),
        runs: { least: Math.min(...perPair), most: Math.max(...perPair) },
      }
    },
    close: async () => {
      clearInterval(changing)
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function newPerson(random: Random, app: number): Person {
  const person: Person = { app, list: new Map(), changes: new Map(), seq: 0, flying: new Set() }
  for (let i = 0; i < FIRST; i += 1) {
    addTo(random, person, 'list')
    addTo(random, person, 'changes')
  }
  return person
}

function addTo(random: Random, person: Person, where: 'list' | 'changes'): void {
  person.seq += 1
  const id = `${where}-${person.seq}`
  put(person, where, { id, at: 1_700_000_000_000 + person.seq, text: `made ${random.int(0, 1e9)}` })
}

function put(person: Person, where: 'list' | 'changes', thing: Thing): void {
  person.seq += 1
  person[where].delete(thing.id)
  person[where].set(thing.id, where === 'list' ? thing : { ...thing, seq: person.seq })
}

function mutate(random: Random, person: Person): void {
  const where = random.pick(['list', 'changes'] as const)
  const there = [...person[where].values()].filter(({ deleted }) => deleted !== true)
  const dice = random.float()
  if (dice < 0.4 || there.length < FIRST / 2) return addTo(random, person, where)
  const { id, at } = random.pick(there)
  if (dice < 0.8) return put(person, where, { id, at, text: `edited ${random.int(0, 1e9)}` })
  if (where === 'list') person.list.delete(id)
  else put(person, where, { id, at, deleted: true })
  return undefined
}

function listPage({ list }: Person, url: URL): unknown {
  const page = Number(url.searchParams.get('page'))
  return { things: [...list.values()].toReversed().slice((page - 1) * PAGE, page * PAGE) }
}

function changesPage({ changes }: Person, url: URL): unknown {
  const since = Number(url.searchParams.get('since') ?? 0)
  const newer = [...changes.values()].filter(({ seq }) => seq! > since)
  const things = newer.slice(0, PAGE)
  return { things, ...(newer.length > PAGE ? { next: String(things.at(-1)!.seq) } : {}) }
}

function misbehave(random: Random, response: ServerResponse, reply: unknown): void {
  const how = random.int(0, 9)
  if (how === 0) return send(response, 429, { error: 'slow down' }, { 'retry-after': '1' })
  if (how < 5) return send(response, 503, { error: 'down' })
  if (how < 7) {
    response.socket?.resetAndDestroy()
    return undefined
  }
  const text = JSON.stringify(reply)
  response.writeHead(200, { 'content-type': 'application/json' }).end(text.slice(0, text.length / 2))
  return undefined
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

function worst(times: number[], windowMs: number): number {
  let most = 0
  let from = 0
  for (const [i, at] of times.entries()) {
    while (times[from]! <= at - windowMs) from += 1
    most = Math.max(most, i - from + 1)
  }
  return most
}
