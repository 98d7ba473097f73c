import type { Database, Queries, Statement } from '#platform/postgres/database.ts'

/** Called before a statement is executed; may return a function to call when it has ended. */
type OnStatement = (statement: Statement, values: readonly unknown[]) => (() => void) | undefined

/** Observes the statements of a running service outside of transactions. Returns a function that stops it. */
export function watchStatements(database: Database, onStatement: OnStatement): () => void {
  const stops = [database, database.background].map((queries) => watch(queries, onStatement))
  return () => {
    for (const stop of stops) stop()
  }
}

/**
 * Delays statements of a running service outside of transactions for which `isHeld` says so. Returns a function that
 * lets them continue and holds no more.
 */
export function holdStatements(database: Database, isHeld: (statement: Statement) => boolean): () => void {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const stops = [database, database.background].map((queries) => {
    const rows = queries.rows.bind(queries)
    queries.rows = async <Row extends object>(statement: Statement, values?: readonly unknown[]) => {
      if (isHeld(statement)) await released
      return rows<Row>(statement, values)
    }
    return () => Object.assign(queries, { rows })
  })
  return () => {
    for (const stop of stops) stop()
    release()
  }
}

function watch(queries: Queries, onStatement: OnStatement): () => void {
  const [rows, count] = [queries.rows.bind(queries), queries.count.bind(queries)]
  queries.rows = async <Row extends object>(
    statement: Statement,
    values: readonly unknown[] = statement.values ?? [],
  ) => {
    const onEnded = onStatement(statement, values)
    return rows<Row>(statement, values).finally(() => onEnded?.())
  }
  queries.count = async (statement, values = statement.values ?? []) => {
    const onEnded = onStatement(statement, values)
    return count(statement, values).finally(() => onEnded?.())
  }
  return () => Object.assign(queries, { rows, count })
}
