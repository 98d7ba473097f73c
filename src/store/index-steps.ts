/** One statement of a migration that runs outside a transaction. */
export interface IndexStep {
  kind: 'create' | 'drop'
  index: string
  /** The table of a new index. */
  table?: string | undefined
  sql: string
}

const CREATE = /^create (?:unique )?index concurrently (\w+) on (\w+)[ (]/i
const DROP = /^drop index concurrently if exists (\w+)$/i
const ALLOWED = '“create [unique] index concurrently NAME on TABLE …” and “drop index concurrently if exists NAME”'
const TOKEN = /--[^\n]*|'[^']*'|"[^"]*"|[;-]|[^;'"-]+/g

/**
 * Allows only statements that can be repeated after a crash at any point, because nothing rolls them back. For these
 * two kinds the catalogue shows which are done.
 */
export function readIndexSteps(migration: string, sql: string): IndexStep[] {
  return splitStatements(sql).map((text) => {
    const create = CREATE.exec(text)
    if (create !== null) return { kind: 'create', index: create[1]!, table: create[2]!, sql: text }
    const drop = DROP.exec(text)
    if (drop !== null) return { kind: 'drop', index: drop[1]!, sql: text }
    throw new Error(`Migration ${migration} runs without a transaction. It may only contain ${ALLOWED}, not: ${text}`)
  })
}

/** Splits at semicolons that are not in a comment, a string or a quoted name. */
function splitStatements(sql: string): string[] {
  const statements = ['']
  for (const [token] of sql.matchAll(TOKEN)) {
    if (token === ';') statements.push('')
    else if (token.startsWith("'") || token.startsWith('"')) statements[statements.length - 1] += token
    else if (!token.startsWith('--')) statements[statements.length - 1] += token.replaceAll(/\s+/g, ' ')
  }
  return statements.map((text) => text.trim()).filter((text) => text !== '')
}
