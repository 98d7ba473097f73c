/** A piece of SQL: `quoted` is a string, a quoted name or a dollar-quoted text, `end` a semicolon between statements. */
export interface SqlToken {
  kind: 'plain' | 'quoted' | 'comment' | 'end'
  text: string
}

/**
 * Splits SQL at the semicolons that are not in a comment, a string, a quoted name or a dollar-quoted text. Statements keep their
 * text, without what precedes their first word. Function bodies must be quoted: `begin atomic … end` would be split.
 */
export function splitStatements(sql: string): string[] {
  const statements: string[] = ['']
  for (const { kind, text } of sqlTokens(sql)) {
    const last = statements.length - 1
    if (kind === 'end') statements.push('')
    else if (kind !== 'comment' || statements[last] !== '') statements[last] = `${statements[last]}${text}`.trimStart()
  }
  return statements.map((text) => text.trimEnd()).filter((text) => text !== '')
}

export function sqlTokens(sql: string): SqlToken[] {
  const tokens: SqlToken[] = []
  let plainFrom = 0
  for (let at = 0; at < sql.length; ) {
    const kind = specialAt(sql, at)
    if (kind === undefined) {
      at += 1
      continue
    }
    const end = endOf(sql, at, kind)
    if (plainFrom < at) tokens.push({ kind: 'plain', text: sql.slice(plainFrom, at) })
    tokens.push({ kind: TOKEN_KINDS[kind], text: sql.slice(at, end) })
    at = end
    plainFrom = end
  }
  if (plainFrom < sql.length) tokens.push({ kind: 'plain', text: sql.slice(plainFrom) })
  return tokens
}

const TOKEN_KINDS = {
  semicolon: 'end',
  lineComment: 'comment',
  blockComment: 'comment',
  string: 'quoted',
  escapeString: 'quoted',
  name: 'quoted',
  dollar: 'quoted',
} as const
type Special = keyof typeof TOKEN_KINDS

const WORD_CHARACTER = /[\w$\u0080-\uffff]/
const DOLLAR_TAG = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]{0,62})?\$/y

function specialAt(sql: string, at: number): Special | undefined {
  const character = sql[at]!
  if (character === ';') return 'semicolon'
  if (character === '"') return 'name'
  if (character === "'") return isEscapeString(sql, at) ? 'escapeString' : 'string'
  if (sql.startsWith('--', at)) return 'lineComment'
  if (sql.startsWith('/*', at)) return 'blockComment'
  return character === '$' && dollarTag(sql, at) !== undefined ? 'dollar' : undefined
}

/** `E'…'`, in which a backslash escapes. */
function isEscapeString(sql: string, at: number): boolean {
  return /[eE]/.test(sql[at - 1] ?? '') && !WORD_CHARACTER.test(sql[at - 2] ?? ' ')
}

/** `$tag$`; undefined where the dollar belongs to a name or a parameter. */
function dollarTag(sql: string, at: number): string | undefined {
  if (WORD_CHARACTER.test(sql[at - 1] ?? ' ')) return undefined
  DOLLAR_TAG.lastIndex = at
  return DOLLAR_TAG.exec(sql)?.[0]
}

function endOf(sql: string, at: number, kind: Special): number {
  if (kind === 'semicolon') return at + 1
  if (kind === 'lineComment') return endOfLine(sql, at)
  if (kind === 'blockComment') return endOfBlockComment(sql, at)
  if (kind === 'dollar') return endOfDollarQuotes(sql, at)
  return endOfQuotes(sql, at, kind === 'escapeString')
}

function endOfLine(sql: string, at: number): number {
  const end = sql.indexOf('\n', at)
  return end === -1 ? sql.length : end + 1
}

function endOfDollarQuotes(sql: string, at: number): number {
  const tag = dollarTag(sql, at)!
  const end = sql.indexOf(tag, at + tag.length)
  if (end === -1) throw unterminated(sql, at)
  return end + tag.length
}

/** A doubled quote is two texts beside each other here, which splits nothing. */
function endOfQuotes(sql: string, at: number, escapes: boolean): number {
  const quote = sql[at]!
  for (let end = at + 1; end < sql.length; end += 1) {
    if (escapes && sql[end] === '\\') end += 1
    else if (sql[end] === quote && escapes && sql[end + 1] === quote) end += 1
    else if (sql[end] === quote) return end + 1
  }
  throw unterminated(sql, at)
}

/** Block comments nest. */
function endOfBlockComment(sql: string, at: number): number {
  let depth = 0
  for (let end = at; end < sql.length; ) {
    const two = sql.slice(end, end + 2)
    if (two === '/*') depth += 1
    if (two === '*/') depth -= 1
    end += two === '/*' || two === '*/' ? 2 : 1
    if (depth === 0) return end
  }
  throw unterminated(sql, at)
}

function unterminated(sql: string, at: number): Error {
  const line = sql.slice(0, at).split('\n').length
  return new Error(`The SQL has a quotation or comment without an end, from line ${line}: ${sql.slice(at, at + 40)}`)
}
