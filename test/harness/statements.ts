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
