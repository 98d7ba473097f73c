import { PLACEMENTS, type Placement } from '#store/cluster/placement.ts'
import { splitStatements, sqlTokens } from '#store/split-statements.ts'
import { ACCEPTED_ACTIONS, ACCEPTED_STATEMENTS, REFUSED_ACTIONS } from './forms.ts'

const CREATES_TABLE = /^create (?:unlogged )?table (?:if not exists )?(\w+)/
const ALTERS_TABLE = /^alter table (?:if exists )?(?:only )?(\w+) (.*)$/
const CREATES_UNIQUE_INDEX = /^create unique index .*?\bon (?:only )?(\w+)(?: using \w+)? \((.*?)\)(?: where |$)/
const REFERENCES = /\breferences (\w+)/g

/**
 * The statements of a migration that a sharded server refuses, each with the reason. A table is placed after the last statement of the
 * file that creates it, so until then it accepts everything.
 */
export function refusedDdl(sql: string, placements: ReadonlyMap<string, Placement> = PLACEMENTS): string[] {
  const statements = splitStatements(sql).map(normalize)
  const created = new Set(statements.flatMap((text) => CREATES_TABLE.exec(text)?.[1] ?? []))
  const isOnNodes = (table: string) => !created.has(table) && placements.get(table) !== 'local'
  return statements.flatMap((text) => {
    const reason = reasonAgainst(text, isOnNodes, placements)
    return reason === undefined ? [] : [`${reason}: ${text}`]
  })
}

function reasonAgainst(
  text: string,
  isOnNodes: (table: string) => boolean,
  placements: ReadonlyMap<string, Placement>,
): string | undefined {
  const created = CREATES_TABLE.exec(text)?.[1]
  if (created !== undefined) return reasonAgainstTable(text, created, placements)
  const [, table, actions] = ALTERS_TABLE.exec(text) ?? []
  if (table !== undefined && actions !== undefined) {
    const column = columnOf(placements.get(table))
    return (
      reasonAgainstKeys(text, table, placements) ??
      (isOnNodes(table) ? reasonAgainstActions(splitActions(actions), column) : undefined)
    )
  }
  const [, indexed, columns] = CREATES_UNIQUE_INDEX.exec(text) ?? []
  const column = columnOf(placements.get(indexed ?? ''))
  if (columns !== undefined && column !== undefined && !columns.split(/[ ,]+/).includes(column))
    return `a unique index must contain ${column}, by which ${indexed} is divided`
  if (!ACCEPTED_STATEMENTS.some((pattern) => pattern.test(text))) return 'not known to work on a sharded server'
  return undefined
}

function reasonAgainstTable(
  text: string,
  table: string,
  placements: ReadonlyMap<string, Placement>,
): string | undefined {
  if (/\binherits \(/.test(text)) return 'a table that inherits cannot be placed'
  if (/\b(?:small|big)?serial[248]?\b|\bas identity\b/.test(text)) return 'nodes do not share a sequence'
  if (/\bexclude \w*/.test(text)) return 'an exclusion constraint holds on one node only'
  return reasonAgainstKeys(text, table, placements)
}

/** A foreign key leads to a table that every node has, or to rows of the same shard. */
function reasonAgainstKeys(
  text: string,
  table: string,
  placements: ReadonlyMap<string, Placement>,
): string | undefined {
  const from = placements.get(table)
  for (const [, referenced = ''] of text.matchAll(REFERENCES)) {
    const to = placements.get(referenced)
    const isSameShard = columnOf(from) === 'shard' && columnOf(to) === 'shard'
    if (to !== 'reference' && !isSameShard && !(from === 'local' && to === 'local'))
      return `a foreign key from ${table} cannot lead to ${referenced}`
  }
  return undefined
}

function reasonAgainstActions(actions: readonly string[], divided: string | undefined): string | undefined {
  for (const action of actions) {
    const refused = REFUSED_ACTIONS.find(({ pattern }) => pattern.test(action))
    if (refused !== undefined) return `a table on the nodes does not accept ${refused.form}`
    const accepted = ACCEPTED_ACTIONS.find(({ pattern }) => pattern.test(action))
    if (accepted === undefined) return 'not known to work on a sharded server'
    if (accepted.isAlone && actions.length > 1) return `${accepted.form} must be the only action of its statement`
    const column = accepted.pattern.exec(action)?.groups?.['column']
    if (column !== undefined && column === divided) return `the table is divided by ${column}, which cannot change`
  }
  return undefined
}

const columnOf = (placement: Placement | undefined) => (typeof placement === 'object' ? placement.by : undefined)

/** Without comments, with single spaces, and in small letters outside quotations. */
function normalize(statement: string): string {
  return sqlTokens(statement)
    .map(({ kind, text }) => (kind === 'comment' ? ' ' : kind === 'quoted' ? text : text.toLowerCase()))
    .join('')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** At the commas that are in no parentheses and no quotation. */
function splitActions(actions: string): string[] {
  const split = ['']
  let depth = 0
  for (const { kind, text } of sqlTokens(actions))
    for (const piece of kind === 'plain' ? text : [text]) {
      if (piece === '(') depth += 1
      if (piece === ')') depth -= 1
      if (piece === ',' && depth === 0) split.push('')
      else split[split.length - 1] += piece
    }
  return split.map((text) => text.trim())
}
