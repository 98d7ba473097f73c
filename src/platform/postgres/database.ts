import { Client, type ClientBase, Pool, types } from 'pg'
import { codeOf, reasonOf, SetupError } from '../errors.ts'
import type { Log } from '../telemetry/log.ts'
import { createSemaphore } from '../waiting/semaphore.ts'
import { type CopyConnection, withCopyConnection } from './copy.ts'
import { compileNames, type NamesIn, orderValues, type SqlValue } from './named-values.ts'
import { createPipeline, writeTogether } from './pipeline.ts'
import { startWatchdog, type Watchdog } from './watchdog.ts'
import { tablesWrittenBy } from './written-tables.ts'

// Times and counters stay far below 2^53, so numbers are safe, and simpler than text.
types.setTypeParser(types.builtins.INT8, Number)

/** Hand-written SQL with a stable name, prepared once per connection. */
export interface Statement {
  name: string
  text: string
  /** Returns rows as arrays in column order, which costs a tenth less. For large, frequent reads. */
  tuples?: boolean
  /** Bound by `with`; used when the call passes none. */
  values?: readonly unknown[]
}

/** SQL with `$name` for its values. */
export interface NamedStatement<Names extends string> {
  name: string
  with: (values: Record<Names, SqlValue>) => Statement
}

export interface Queries {
  /** Set where statements run on a replica: the primary, which has the newest state. */
  primary?: Queries | undefined
  rows<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>
  /** Returns the number of affected rows. */
  count(statement: Statement, values?: readonly unknown[]): Promise<number>
  /** In a transaction: sends a statement and does not wait. If it fails, so does what is waited for next, or the commit. */
  send?: ((statement: Statement) => void) | undefined
}

/** Runs a statement whose result nobody needs. A transaction sends it together with what follows. */
export async function execute(queries: Queries, statement: Statement): Promise<void> {
  if (queries.send === undefined) await queries.count(statement)
  else queries.send(statement)
}

export interface Database extends Queries {
  /** One transaction; rolled back when `work` throws, repeated after a deadlock, so `work` may run more than once. */
  transaction<Result>(work: (tx: Queries) => Promise<Result>): Promise<Result>
  /** One transaction without the watchdog, for statements such as a new index on a large table. */
  withoutTimeout<Result>(work: (tx: Queries) => Promise<Result>): Promise<Result>
  /**
   * A separate connection, without the watchdog, for statements that cannot run in a transaction, such as building an index
   * concurrently. Nothing is prepared on it, so a transaction pooler may use another server connection for each statement.
   */
  dedicated<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result>
  /** A separate connection for `copy`, without the watchdog. */
  copying<Result>(work: (connection: CopyConnection) => Promise<Result>): Promise<Result>
  /** For long reads: together they use at most a third of the connections, so that short queries always find one. */
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
  /** Called when the database cannot be reached, so that an embedded one can be started again. */
  onLost?: (() => void) | undefined
  /** How long a transaction may wait for its next statement. */
  idleTransactionMs?: number | undefined
  /** Called with the tables that a statement or a transaction has written, perhaps without effect. */
  onWritten?: OnWritten | undefined
}

type OnWritten = (tables: Iterable<string>) => void

export function openDatabase(options: DatabaseOptions): Database {
  const { url, pool: max, prepared, log, onLost, idleTransactionMs = IDLE_TRANSACTION_MS, onWritten } = options
  let closing = false
  const pool = new Pool({
    connectionString: url,
    max,
    application_name: APPLICATION,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    // Statements of a transaction may be sent before those before them are answered.
    pipeline: true,
  })
  const watchdog = startWatchdog(pool, STATEMENT_TIMEOUT_MS, () =>
    log.warn('a statement hung; its connection was closed'),
  )
  // A connection can be lost while it is handed out, before its caller listens; without a listener the error would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  // A lost idle connection (database restarted) is replaced at the next query.
  pool.on('error', (error) => {
    if (closing) return
    log.warn('an idle database connection was lost', { error: reasonOf(error) })
    onLost?.()
  })
  // When no connection is idle, the pool reports no loss; then the next query that fails does.
  const reportingLoss = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error: unknown) => {
      if (!closing && UNREACHABLE_CODES.has(codeOf(error) ?? '')) onLost?.()
      throw error
    })
  const pooled = queriesOn(pool, prepared, onWritten)
  // The server ends the transaction of a process that froze or lost its network, so that others get the rows that it locked.
  const begin = `begin; set local idle_in_transaction_session_timeout = ${idleTransactionMs}`
  const queries: Queries = {
    rows: <Row extends object>(...statement: Parameters<Queries['rows']>) =>
      reportingLoss(retryOnDeadlock(() => pooled.rows<Row>(...statement))),
    count: (...statement) => reportingLoss(retryOnDeadlock(() => pooled.count(...statement))),
  }
  return {
    ...queries,
    background: limitConcurrency(queries, Math.max(1, Math.floor(max / 3))),
    transaction: (work) => reportingLoss(retryOnDeadlock(() => inTransaction(pool, prepared, work, begin, onWritten))),
    withoutTimeout: (work) =>
      reportingLoss(
        retryOnDeadlock(() => inTransaction(pool, prepared, work, 'begin', onWritten, watchdog), MAX_MIGRATION_TRIES),
      ),
    dedicated: (work) => reportingLoss(onOwnConnection(url, work)),
    copying: (work) => reportingLoss(withCopyConnection(url, work)),
    script: async (text) => {
      await pool.query(text)
    },
    close: () => {
      closing = true
      watchdog.stop()
      return pool.end()
    },
  }
}

/** Text by name. Two statements with the same name would run as one, so the second is refused. */
const textByName = new Map<string, string>()

/** Values are either numbered (`$1`) and passed as a list, or named (`$shard`) and bound by `with`, which type-checks the names. */
export function statement<const Text extends string>(
  name: string,
  text: Text,
): [NamesIn<Text>] extends [never] ? Statement : NamedStatement<NamesIn<Text>>
export function statement(name: string, text: string): Statement | NamedStatement<string> {
  const { text: clean, names } = compileNames(text.replaceAll(/\s+/g, ' ').trim())
  const known = textByName.get(name)
  if (known !== undefined && known !== clean) throw new Error(`Two statements have the name ${name}`)
  textByName.set(name, clean)
  if (names.length === 0) return { name, text: clean }
  return { name, with: (values) => ({ name, text: clean, values: orderValues(name, names, values) }) }
}

/** Every statement of the modules loaded so far. */
export const knownStatements = (): Statement[] => [...textByName].map(([name, text]) => ({ name, text }))

/** The statement is unknown on this connection, or exists already: a pooler switched the server connection. */
const UNPREPARED_CODES = new Set(['26000', '42P05'])

function poolerUnprepared(cause: unknown): SetupError {
  return new SetupError(
    `A connection pooler in front of the database does not support named prepared statements (${reasonOf(cause)}).`,
    {
      code: 'pooler_unprepared',
      help: 'Set DATABASE_PREPARED=false, or use PgBouncer 1.21 or newer with max_prepared_statements above 0.',
      cause,
    },
  )
}

function queriesOn(client: Pool | ClientBase, prepared: boolean, onWritten?: OnWritten): Queries {
  const run = async ({ name, text, tuples, values: bound = [] }: Statement, values: readonly unknown[] = bound) => {
    const shape = tuples === true ? { rowMode: 'array' } : {}
    try {
      return await client.query<object>({ ...(prepared ? { name } : {}), text, values: [...values], ...shape })
    } catch (error) {
      throw prepared && UNPREPARED_CODES.has(codeOf(error) ?? '') ? poolerUnprepared(error) : error
    } finally {
      // Also after an error: a connection that was lost meanwhile does not tell what the server did.
      onWritten?.(tablesWrittenBy({ name, text }))
    }
  }
  return {
    rows: async <Row extends object>(statement: Statement, values?: readonly unknown[]) =>
      (await run(statement, values)).rows as Row[],
    count: async (statement, values) => (await run(statement, values)).rowCount ?? 0,
  }
}

/** Runs at most `max` queries at a time. */
function limitConcurrency(queries: Queries, max: number): Queries {
  const semaphore = createSemaphore(max)
  return {
    rows: (statement, values) => semaphore.run(() => queries.rows(statement, values)),
    count: (statement, values) => semaphore.run(() => queries.count(statement, values)),
  }
}

const APPLICATION = 'tributary'
const CONNECT_TIMEOUT_MS = 10_000
/** Enough for a slow page of a long read; a statement that takes longer hangs. */
const STATEMENT_TIMEOUT_MS = 120_000
/** Our transactions call nobody outside, so the next statement follows at once. As long as the heartbeat of jobs. */
const IDLE_TRANSACTION_MS = 20_000
const UNREACHABLE_CODES = new Set(['ECONNREFUSED', 'ENOENT'])
const DEADLOCK = '40P01'
/** Limit: attempts of a transaction that deadlocks; then its error is thrown. Writers of a table that all nodes have deadlock in turn. */
const MAX_TRIES = 8
/** Limit: attempts of a migration that deadlocks with the running service; then its error is thrown. */
const MAX_MIGRATION_TRIES = 20

/** PostgreSQL rolls back one of two deadlocked transactions, or single statements; it has changed nothing and can be repeated. */
async function retryOnDeadlock<Result>(run: () => Promise<Result>, maxTries = MAX_TRIES): Promise<Result> {
  for (let left = maxTries - 1; ; left -= 1) {
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
  begin: string,
  onWritten: OnWritten | undefined,
  watchdog?: Watchdog,
): Promise<Result> {
  const client = await pool.connect()
  watchdog?.exempt(client)
  const written = new Set<string>()
  let broken: Error | undefined
  // The pool does not listen while a connection is in use: without this listener, a connection lost between two statements
  // would end the process.
  const onLost = (lost: Error) => {
    broken = lost
  }
  client.on('error', onLost)
  const pipeline = createPipeline()
  const queries = queriesOn(client, prepared, (tables) => {
    for (const table of tables) written.add(table)
  })
  const sent = <Result>(run: () => Promise<Result>): Promise<Result> => {
    writeTogether(client)
    return run()
  }
  try {
    pipeline.add(sent(() => client.query(begin)))
    const result = await work({
      rows: <Row extends object>(...statement: Parameters<Queries['rows']>) =>
        pipeline.wait(sent(() => queries.rows<Row>(...statement))),
      count: (...statement) => pipeline.wait(sent(() => queries.count(...statement))),
      send: (statement) => pipeline.add(sent(() => queries.count(statement))),
    })
    // After a failure this is a rollback.
    await pipeline.wait(sent(() => client.query('commit')))
    return result
  } catch (error) {
    await client.query('rollback').catch(onLost)
    throw error
  } finally {
    client.off('error', onLost)
    client.release(broken)
    // Others see what was written from now on.
    onWritten?.(written)
  }
}

async function onOwnConnection<Result>(url: string, work: (queries: Queries) => Promise<Result>): Promise<Result> {
  const client = new Client({
    connectionString: url,
    application_name: APPLICATION,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  })
  // The running statement fails with the same error; without a listener the error would also end the process.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(queriesOn(client, false))
  } finally {
    await client.end()
  }
}
