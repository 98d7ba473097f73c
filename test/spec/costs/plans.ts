import assert from 'node:assert/strict'
import type { Client } from 'pg'

/** PostgreSQL plans a statement anew five times; then it keeps a plan, unless the kept one looks worse. */
const MAX_CUSTOM_PLANS = 5
/** Executions on one connection after which a statement's plan is kept or lost. */
const MIN_EXECUTIONS = 8

interface Prepared {
  statement: string
  custom: number
  generic: number
}

function labelOf(name: string, text: string): string {
  if (!name.startsWith('auto-')) return name
  return text.includes(' as newest from') ? 'composed-counts' : 'composed'
}

/**
 * Fails for a statement that a warm connection still plans at each execution, unless `exceptions` says why, by a part of its text.
 * Fails also where none of the expected statements, by name, ran often enough to tell.
 */
export async function assertPlansKept(
  connections: Client[],
  expected: readonly string[],
  exceptions: Record<string, string>,
): Promise<void> {
  const executed = new Set<string>()
  const lost = new Set<string>()
  const excused = new Set<string>()
  for (const client of connections) {
    const { rows } = await client.query<Prepared & { name: string }>(
      `select name, statement, custom_plans::int as custom, generic_plans::int as generic from pg_prepared_statements`,
    )
    for (const { name, statement, custom, generic } of rows) {
      if (custom + generic >= MIN_EXECUTIONS) executed.add(labelOf(name, statement))
      if (custom <= MAX_CUSTOM_PLANS) continue
      const reason = Object.keys(exceptions).find((part) => statement.includes(part))
      if (reason !== undefined) excused.add(reason)
      else
        lost.add(
          `${name}: ${custom} custom and ${generic} generic plans: ${statement.replaceAll(/\s+/g, ' ').slice(0, 200)}`,
        )
    }
  }
  assert.deepEqual([...lost], [], 'statements that are planned at each execution')
  assert.deepEqual(
    expected.filter((name) => !executed.has(name)),
    [],
    'statements that did not run often enough to tell',
  )
  assert.deepEqual(
    Object.keys(exceptions).filter((part) => !excused.has(part)),
    [],
    'exceptions that are needed no more',
  )
}
