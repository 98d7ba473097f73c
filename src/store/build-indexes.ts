import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf, isUnavailable, reasonOf, SetupError } from '#platform/errors.ts'
import { type Queries, type Statement, statement } from '#platform/postgres/database.ts'
import type { IndexStep } from './index-steps.ts'

const findIndex = statement(
  'index-look-up',
  'select indisvalid as valid from pg_index where indexrelid = to_regclass($index) and indrelid = to_regclass($table)',
)
// A sharded server builds on other nodes, where the progress is not seen; the statement that waits for them is.
const isBeingBuilt = statement(
  'index-being-built',
  `select exists (select from pg_stat_progress_create_index
       where datname = current_database() and relid = to_regclass($table))
     or exists (select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
       and state = 'active' and lower(query) like 'create %index concurrently ' || lower($index) || ' on %') as yes`,
)

const POLL_MS = 200
const TRIES = 3
/** Duplicate table and deadlock: another session has just built this index, or waits for the same table. */
const RACE_CODES = new Set(['42P07', '40P01'])
const CANCELLED = '57014'
const MIGRATE_WITHOUT_TIMEOUT = `PGOPTIONS='-c statement_timeout=0' tributary migrate`

/** Runs the steps one by one, each outside a transaction. Steps that an interrupted run has finished are skipped. */
export async function buildIndexes(queries: Queries, migration: string, steps: readonly IndexStep[]): Promise<void> {
  for (const step of steps) {
    for (let left = TRIES - 1; ; left -= 1) {
      try {
        await (step.kind === 'drop' ? queries.rows(unnamed(step.sql)) : createIndex(queries, step))
        break
      } catch (error) {
        if (left > 0 && RACE_CODES.has(codeOf(error) ?? '')) continue
        // If the connection is lost, the next run drops the invalid index.
        await dropInvalid(queries, step).catch(() => {})
        throw isUnavailable(error) ? error : indexFailed(migration, step, error)
      }
    }
  }
}

async function createIndex(queries: Queries, step: IndexStep): Promise<void> {
  await waitForOtherBuilds(queries, step)
  if ((await isIndexValid(queries, step)) === true) return
  await dropInvalid(queries, step)
  await queries.rows(unnamed(step.sql))
}

/**
 * The session of a killed process continues to build, and its index is used. A second build at the same time would
 * deadlock: each would wait for the other's lock or snapshot.
 */
async function waitForOtherBuilds(queries: Queries, { index, table }: IndexStep): Promise<void> {
  for (;;) {
    const [building] = await queries.rows<{ yes: boolean }>(isBeingBuilt.with({ index, table: table ?? null }))
    if (building?.yes !== true) return
    await sleep(POLL_MS)
  }
}

/** An interrupted or failed build leaves an index that every write maintains and no query uses. */
async function dropInvalid(queries: Queries, step: IndexStep): Promise<void> {
  if ((await isIndexValid(queries, step)) === false)
    await queries.rows(unnamed(`drop index concurrently if exists ${step.index}`))
}

/** Undefined when there is no such index. */
async function isIndexValid(queries: Queries, { index, table }: IndexStep): Promise<boolean | undefined> {
  const [found] = await queries.rows<{ valid: boolean }>(findIndex.with({ index, table: table ?? null }))
  return found?.valid
}

const unnamed = (text: string): Statement => ({ name: '', text })

function indexFailed(migration: string, { kind, index }: IndexStep, cause: unknown): SetupError {
  const action = kind === 'create' ? 'build' : 'drop'
  return new SetupError(`Migration ${migration} could not ${action} the index ${index}: ${reasonOf(cause)}`, {
    code: 'index_not_built',
    help:
      codeOf(cause) === CANCELLED
        ? `Run it without a time limit, connected directly to PostgreSQL:\n${MIGRATE_WITHOUT_TIMEOUT}`
        : 'No incomplete index was left behind. Fix what PostgreSQL reports, then run: tributary migrate',
    cause,
  })
}
