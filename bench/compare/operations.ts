import type { CpuReading } from '../cpu-time.ts'
import { type Requests, sendRequests } from './requests.ts'
import type { Person, RunningCheckout } from './running-checkout.ts'
import { bearer } from './service.ts'

/** How much is done in one round. */
export interface Sizes {
  rounds: number
  /** Before those that count: until V8 has optimised most of the code and the database has its plans. */
  warmRounds: number
  reads: number
  calls: number
  /** Accounts that call in turn, each once a round. */
  callers: number
  /** Accounts of people who read rarely: each reads once, when nothing is known about it. */
  readers: number
  items: number
}

/** Enough for two tenths of a second of processor time or more, so that the clock's and the scheduler's errors are small. */
export const SHORT: Sizes = {
  rounds: 9,
  warmRounds: 2,
  reads: 400,
  calls: 800,
  callers: 200,
  readers: 1000,
  items: 2000,
}
/** Two more, so that a verdict survives a round that something else disturbed. */
export const COMPARED: Sizes = { ...SHORT, rounds: 11 }

export const OPERATIONS = [
  'read type',
  'read map',
  'read dedup',
  'read cold',
  'proxy down',
  'proxy up',
  'proxy cold',
  'sync first',
  'sync unchanged',
  'loading',
] as const
export type Operation = (typeof OPERATIONS)[number]

/** What one of two that are compared does in its turns, and the processor time that it has used until then. */
export interface Action {
  cpu: () => Promise<CpuReading>
  turn: (index: number) => Promise<void>
}
export type Side = Record<Operation, Action>

/** Both sides change places so often in a round: the load of a machine changes within a second. */
const TURNS = 10

export function turnsOf(operation: Operation): number {
  return /^(read|proxy) /.test(operation) ? TURNS : 1
}

/** Proxied calls are logged each second. */
export function restMs(operation: Operation): number {
  return operation.startsWith('proxy ') ? 1200 : 0
}

/** What is done in one of the turns. */
export function shareOf(count: number): number {
  return Math.ceil(count / TURNS)
}

/** As many accounts as read in one of the turns, so that they last for all rounds. */
export function coldReadsOf({ readers, rounds, warmRounds }: Sizes): number {
  return Math.max(1, Math.floor(readers / (TURNS * (rounds + warmRounds))))
}

/** For processes that live only as long as a turn: each turn returns what it used. */
export function summed(turn: () => Promise<number>): Action {
  let processesMs = 0
  return {
    cpu: async () => ({ processesMs, backends: new Map() }),
    turn: async () => {
      processesMs += await turn()
    },
  }
}

export const READS = {
  'read type': '/types/photos?limit=20',
  'read map': '/types/photos?limit=20&map=true',
  'read dedup': '/types/photos?limit=20&dedup=true',
}
export const READ_CONNECTIONS = 8
export const CALL_CONNECTIONS = 16
export const KILOBYTE = Buffer.alloc(1024, 'x')
/** A page of them is full. */
const ITEMS_OF_RARE_READERS = 21

interface People {
  /** Is synced. */
  reader: Person
  /** Each is a person of their own. */
  callers: readonly Person[]
  /** Each is asked for once. */
  readers: readonly Person[]
}

/** The operations of a checkout's server. */
function sideOf(running: RunningCheckout, { reader, callers, readers }: People, sizes: Sizes): Side {
  const unread = [...readers]
  const read = (path: string): Action => ({
    cpu: running.requestCpu,
    turn: () => {
      const headers = () => bearer(reader.token)
      const count = shareOf(sizes.reads)
      return sendRequests(running.url + path, { count, connections: READ_CONNECTIONS, headers })
    },
  })
  const call = (path: string, requests: (turn: number) => Partial<Requests>): Action => ({
    cpu: running.requestCpu,
    turn: (turn) => {
      const headers = () => bearer(callers[0]!.token)
      const all = { count: shareOf(sizes.calls), connections: CALL_CONNECTIONS, headers, ...requests(turn) }
      return sendRequests(running.proxyUrl + path, all)
    },
  })
  const callersOf = (turn: number) =>
    callers.slice(turn * shareOf(callers.length), (turn + 1) * shareOf(callers.length))
  return {
    'read type': read(READS['read type']),
    'read map': read(READS['read map']),
    'read dedup': read(READS['read dedup']),
    'read cold': {
      cpu: running.requestCpu,
      turn: async () => {
        const some = unread.splice(0, coldReadsOf(sizes))
        if (some.length === 0) throw new Error('every account has read; there are too many rounds')
        const headers = (index: number) => bearer(some[index]!.token)
        const requests = { count: some.length, connections: READ_CONNECTIONS, headers }
        await sendRequests(running.url + READS['read type'], requests)
      },
    },
    'proxy down': call('/1k', () => ({})),
    'proxy up': call('/up', () => ({ method: 'POST', body: KILOBYTE })),
    'proxy cold': call('/1k', (turn) => {
      const some = callersOf(turn)
      return { count: some.length, headers: (index) => bearer(some[index]!.token) }
    }),
    'sync first': {
      cpu: running.cpu,
      turn: async () => {
        const [person] = await running.connect(1, sizes.items)
        await running.firstSync(person!)
      },
    },
    'sync unchanged': { cpu: running.cpu, turn: () => running.syncAgain(reader) },
    loading: summed(running.loadingMs),
  }
}

/** Connects and syncs the people that the operations need. */
export async function prepareSide(
  running: RunningCheckout,
  sizes: Sizes,
  operations: readonly Operation[],
): Promise<{ side: Side; reader: Person }> {
  const [reader] = await running.connect(1, sizes.items)
  const callers = await running.connect(sizes.callers, 0)
  const readers = operations.includes('read cold') ? await running.connect(sizes.readers, ITEMS_OF_RARE_READERS) : []
  for (const person of [reader!, ...callers, ...readers]) await running.firstSync(person)
  // Else it depends on the moment of an automatic one which plans the database chooses.
  await running.analyze()
  return { side: sideOf(running, { reader: reader!, callers, readers }, sizes), reader: reader! }
}

/** By name or by the first word of it; all if none is named. */
export function chooseOperations(names: readonly string[]): Operation[] {
  const isMeant = (operation: Operation, name: string) => operation === name || operation.split(' ')[0] === name
  const unknown = names.filter((name) => !OPERATIONS.some((operation) => isMeant(operation, name)))
  if (unknown.length > 0)
    throw new Error(`Unknown operation: ${unknown.join(', ')}. Known operations: ${OPERATIONS.join(', ')}`)
  return OPERATIONS.filter((operation) => names.length === 0 || names.some((name) => isMeant(operation, name)))
}
