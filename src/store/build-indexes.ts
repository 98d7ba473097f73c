import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf, isUnavailable, reasonOf, SetupError } from '#platform/errors.ts'
import { type Queries, type Statement, statement } from '#platform/postgres/database.ts'
import type { IndexStep } from './index-steps.ts'

const lookUp = statement(
  'index-look-up',
  'select indisvalid as valid from pg_index where indexrelid = to_regclass($1) and indrelid = to_regclass($2)',
)
const isBeingBuilt = statement(
  'index-being-built',
  `select exists (select from pg_stat_progress_create_index
     where datname = current_database() and relid = to_regclass($1)) as yes`,
)

const POLL_MS = 200
const TRIES = 3
/** Another session has just built an index of this name, or waits for this table at the same time. */
const RACED = new Set(['42P07', '40P01'])
const CANCELLED = '57014'

/** Runs the steps one by one, each outside a transaction. Steps that an interrupted run has finished are skipped. */
export async function buildIndexes(queries: Queries, migration: string, steps: readonly IndexStep[]): Promise<void> {
  for (const step of steps) {
    for (let left = TRIES - 1; ; left -= 1) {
      try {
        await (step.kind === 'drop' ? queries.rows(unnamed(step.sql)) : create(queries, step))
        break
      } catch (error) {
        if (left > 0 && RACED.has(codeOf(error) ?? '')) continue
        // Where the connection is lost, the next run does it.
        await dropInvalid(queries, step).catch(() => {})
        throw isUnavailable(error) ? error : notBuilt(migration, step, error)
      }
    }
  }
}

async function create(queries: Queries, step: IndexStep): Promise<void> {
  await untilNobodyBuilds(queries, step)
  const [found] = await queries.rows<{ valid: boolean }>(lookUp, [step.index, step.table])
  if (found?.valid === true) return
  await dropInvalid(queries, step)
  await queries.rows(unnamed(step.sql))
}

/**
 * The session of a killed process goes on building until it is done; its work is used. To start beside it would end in a
 * deadlock: each waits for the other's lock or snapshot.
 */
async function untilNobodyBuilds(queries: Queries, { table }: IndexStep): Promise<void> {
  for (;;) {
    const [building] = await queries.rows<{ yes: boolean }>(isBeingBuilt, [table])
    if (building?.yes !== true) return
    await sleep(POLL_MS)
  }
}

/** An interrupted or failed build leaves an index that is maintained by every write and used by no query. */
async function dropInvalid(queries: Queries, { index, table }: IndexStep): Promise<void> {
  const [found] = await queries.rows<{ valid: boolean }>(lookUp, [index, table])
  if (found?.valid === false) await queries.rows(unnamed(`drop index concurrently if exists ${index}`))
}

const unnamed = (text: string): Statement => ({ name: '', text })

function notBuilt(migration: string, { kind, index }: IndexStep, cause: unknown): SetupError {
  const what = kind === 'create' ? 'build' : 'drop'
  return new SetupError(`Migration ${migration} could not ${what} the index ${index}: ${reasonOf(cause)}`, {
    code: 'index_not_built',
    help:
      codeOf(cause) === CANCELLED
        ? `Let it run without a time limit, connected to PostgreSQL itself: PGOPTIONS='-c statement_timeout=0' tributary migrate`
        : 'No half-built index was left behind. Put right what PostgreSQL reports, then run: tributary migrate',
    cause,
  })
}
