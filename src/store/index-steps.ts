import { splitStatements, sqlTokens } from './split-statements.ts'

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

/**
 * Allows only statements that can be repeated after a crash at any point, because nothing rolls them back. For these
 * two kinds the catalogue shows which are done.
 */
export function readIndexSteps(migration: string, sql: string): IndexStep[] {
  return normalizedStatements(sql).map((text) => {
    const create = CREATE.exec(text)
    if (create !== null) return { kind: 'create', index: create[1]!, table: create[2]!, sql: text }
    const drop = DROP.exec(text)
    if (drop !== null) return { kind: 'drop', index: drop[1]!, sql: text }
    throw new Error(`Migration ${migration} runs without a transaction. It may only contain ${ALLOWED}, not: ${text}`)
  })
}

/** The statements without comments, and with single spaces outside quotations. */
function normalizedStatements(sql: string): string[] {
  let normalized = ''
  for (const { kind, text } of sqlTokens(sql)) {
    const next = kind === 'quoted' || kind === 'end' ? text : kind === 'comment' ? ' ' : text.replaceAll(/\s+/g, ' ')
    normalized += kind !== 'quoted' && normalized.endsWith(' ') && next.startsWith(' ') ? next.slice(1) : next
  }
  return splitStatements(normalized)
}
