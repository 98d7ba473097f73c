import { Client, type ClientBase, Pool, types } from 'pg'
import { codeOf, reasonOf, SetupError } from '../errors.ts'
import { createSemaphore } from '../semaphore.ts'
import type { Log } from '../telemetry/log.ts'
import { compileNames, type NamesIn, orderValues, type SqlValue } from './named-values.ts'
import { startWatchdog, type Watchdog } from './watchdog.ts'

// Times and counters stay far below 2^53, so numbers are safe and simpler than text.
types.setTypeParser(types.builtins.INT8, Number)

/** Hand-written SQL with a stable name, prepared once per connection. */
export interface Statement {
  name: string
  text: string
  /** Rows come as lists in the order of the columns. For what is read often and much it is a tenth less work. */
  tuples?: boolean
  /** Bound by `with`; used where no others are given. */
  values?: readonly unknown[]
}

/** SQL with `$name` for its values. */
export interface NamedStatement<Names extends string> {
  name: string
  with: (values: Record<Names, SqlValue>) => Statement
}

export interface Queries {
  rows<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>
  /** How many rows a statement touched. */
  count(statement: Statement, values?: readonly unknown[]): Promise<number>
}

export interface Database extends Queries {
  /** One transaction; all of it touches one part, or is listed in parts-of-transactions.test.ts. Rolled back when `work` throws, run anew when it locked up with another. */
  transaction<Result>(work: (tx: Queries) => Promise<Result>): Promise<Result>
  /** One transaction whose statements may take as long as they need, such as a new index on a large table. */
  withoutTimeout<Result>(work: (tx: Queries) => Promise<Result>): Promise<Result>
  /**
   * A connection of its own for statements that cannot be in a transaction and take as long as they need, such as building
   * an index concurrently. Nothing is prepared on it, so a transaction pooler may give each statement another connection.
   */
  dedicated<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result>
  /** For long reads, which can wait: together they take a third of the connections, so that a short question always finds one. */
  background: Queries
  /** Runs plain SQL of several statements. For migrations only. */
  script(text: string): Promise<void>
  close: () => Promise<void>
}

export interface DatabaseOptions {
  url: string
  pool: number
  prepared: boolean
  log: Log
  /** Called when the database cannot be reached; an embedded one can then be started again. */
  onLost?: (() => void) | undefined
}

export function openDatabase({ url, pool: max, prepared, log, onLost }: DatabaseOptions): Database {
  let closing = false
  const pool = new Pool({
    connectionString: url,
    max,
    application_name: APPLICATION,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  })
  const watch = startWatchdog(pool, STUCK_MS, () => log.warn('a statement was stuck, its connection was cut'))
  // A connection can die while it is handed out, before anybody who asked for it listens; unheard, that would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  // An idle connection that dies (database restarted) is replaced at the next query.
  pool.on('error', (error) => {
    if (closing) return
    log.warn('an idle database connection was lost', { error: reasonOf(error) })
    onLost?.()
  })
  // With every connection in use, none is idle and dies: then whoever asks for the next one finds out.
  const watched = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error: unknown) => {
      if (!closing && UNREACHABLE_CODES.has(codeOf(error) ?? '')) onLost?.()
      throw error
    })
  const bare = queriesOn(pool, prepared)
  const queries: Queries = {
    rows: (statement, values) => watched(bare.rows(statement, values)),
    count: (statement, values) => watched(bare.count(statement, values)),
  }
  return {
    ...queries,
    background: inTurns(queries, Math.max(1, Math.floor(max / 3))),
    transaction: (work) => watched(retryOnDeadlock(() => inTransaction(pool, prepared, work))),
    withoutTimeout: (work) => watched(inTransaction(pool, prepared, work, watch)),
    dedicated: (work) => watched(onOwnConnection(url, work)),
    script: async (text) => {
      await pool.query(text)
    },
    close: () => {
      closing = true
      watch.stop()
      return pool.end()
    },
  }
}

/** Two statements in code that share a name would run as one: refuse at once. */
const named = new Map<string, string>()

/** Values are numbered (`$1`) and come as a list, or are named (`$shard`): then `with` binds them, and the compiler knows the names. */
export function statement<const Text extends string>(
  name: string,
  text: Text,
): [NamesIn<Text>] extends [never] ? Statement : NamedStatement<NamesIn<Text>>
export function statement(name: string, text: string): Statement | NamedStatement<string> {
  const { text: clean, names } = compileNames(text.replaceAll(/\s+/g, ' ').trim())
  const known = named.get(name)
  if (known !== undefined && known !== clean) throw new Error(`two statements are called ${name}`)
  named.set(name, clean)
  if (names.length === 0) return { name, text: clean }
  return { name, with: (values) => ({ name, text: clean, values: orderValues(name, names, values) }) }
}

/** Every statement that has been written so far. */
export const knownStatements = (): Statement[] => [...named].map(([name, text]) => ({ name, text }))

/** A statement that this connection never named, or that it has already: behind us another server connection was taken. */
const UNPREPARED_CODES = new Set(['26000', '42P05'])

function poolerUnprepared(cause: unknown): SetupError {
  return new SetupError(
    `Named statements get lost between here and the database: a pooler there does not know them (${reasonOf(cause)}).`,
    {
      code: 'pooler_unprepared',
      help: 'Set DATABASE_PREPARED=false; or use PgBouncer 1.21 or newer with max_prepared_statements above 0.',
      cause,
    },
  )
}

function queriesOn(client: Pool | ClientBase, prepared: boolean): Queries {
  const run = async ({ name, text, tuples, values: bound = [] }: Statement, values: readonly unknown[] = bound) => {
    const shape = tuples === true ? { rowMode: 'array' } : {}
    try {
      return await client.query<object>({ ...(prepared ? { name } : {}), text, values: [...values], ...shape })
    } catch (error) {
      throw prepared && UNPREPARED_CODES.has(codeOf(error) ?? '') ? poolerUnprepared(error) : error
    }
  }
  return {
    rows: async <Row extends object>(statement: Statement, values?: readonly unknown[]) =>
      (await run(statement, values)).rows as Row[],
    count: async (statement, values) => (await run(statement, values)).rowCount ?? 0,
  }
}

/** No more than `most` at a time. */
function inTurns(queries: Queries, most: number): Queries {
  const semaphore = createSemaphore(most)
  return {
    rows: (statement, values) => semaphore.run(() => queries.rows(statement, values)),
    count: (statement, values) => semaphore.run(() => queries.count(statement, values)),
  }
}

const APPLICATION = 'tributary'
const CONNECT_MS = 10_000
/** Room for a slow page of a long read; a stuck statement must still end some day. */
const STUCK_MS = 120_000
const UNREACHABLE_CODES = new Set(['ECONNREFUSED', 'ENOENT'])
const DEADLOCK = '40P01'
const TRIES = 3

/** PostgreSQL ends one of two transactions that wait for each other; that one has changed nothing and can begin again. */
async function retryOnDeadlock<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let left = TRIES - 1; ; left -= 1) {
    try {
      return await run()
    } catch (error) {
      if (left === 0 || codeOf(error) !== DEADLOCK) throw error
    }
  }
}

async function inTransaction<Result>(
  pool: Pool,
  prepared: boolean,
  work: (tx: Queries) => Promise<Result>,
  watchdog?: Watchdog,
): Promise<Result> {
  const client = await pool.connect()
  watchdog?.exempt(client)
  let broken: Error | undefined
  // A connection lost between two statements says so here, and the pool no longer listens for us; unheard, it would
  // end the process.
  const onLost = (lost: Error) => {
    broken = lost
  }
  client.on('error', onLost)
  try {
    await client.query('begin')
    const result = await work(queriesOn(client, prepared))
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(onLost)
    throw error
  } finally {
    client.off('error', onLost)
    client.release(broken)
  }
}

async function onOwnConnection<Result>(url: string, work: (queries: Queries) => Promise<Result>): Promise<Result> {
  const client = new Client({
    connectionString: url,
    application_name: APPLICATION,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
  })
  // The statement under way fails with it; unheard, it would end the process.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(queriesOn(client, false))
  } finally {
    await client.end()
  }
}
