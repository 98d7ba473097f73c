import type { Database, Queries, Statement } from '#platform/postgres/database.ts'

/** Hears of a statement when it is asked; what it gives is called when the answer is there. */
type OnAsked = (statement: Statement, values: readonly unknown[]) => (() => void) | undefined

/** Only looks on: which statements the running service asks, outside of transactions. Gives a function that ends it. */
export function watchStatements(database: Database, onAsked: OnAsked): () => void {
  const ends = [database, database.background].map((queries) => watch(queries, onAsked))
  return () => {
    for (const end of ends) end()
  }
}

function watch(queries: Queries, onAsked: OnAsked): () => void {
  const [rows, count] = [queries.rows.bind(queries), queries.count.bind(queries)]
  queries.rows = async <Row extends object>(
    statement: Statement,
    values: readonly unknown[] = statement.values ?? [],
  ) => {
    const onAnswered = onAsked(statement, values)
    return rows<Row>(statement, values).finally(() => onAnswered?.())
  }
  queries.count = async (statement, values = statement.values ?? []) => {
    const onAnswered = onAsked(statement, values)
    return count(statement, values).finally(() => onAnswered?.())
  }
  return () => Object.assign(queries, { rows, count })
}
