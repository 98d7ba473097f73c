/** A table as a destination creates it. */
export interface CreatedTable {
  name: string
  columns: { name: string; type: string }[]
}

export interface CreatedTables {
  tables: CreatedTable[]
  /** Names of the views, one for each type of items. */
  views: string[]
}

/** Reads our own statements, which the tests of every kind run: only what they contain is understood. */
export function readCreatedTables(statements: readonly string[]): CreatedTables {
  const tables = statements.flatMap((text) => {
    const name = /^create table if not exists (\w+) \(/.exec(text)?.[1]
    return name === undefined ? [] : [{ name, columns: columnsIn(text.slice(text.indexOf('(') + 1)) }]
  })
  const views = statements.flatMap((text) => /^create .*?view (?:if not exists )?(\w+) as/.exec(text)?.[1] ?? [])
  return { tables, views }
}

function columnsIn(definition: string): CreatedTable['columns'] {
  return partsOf(definition)
    .filter((part) => !/^(primary key|index|unique)\b/.test(part))
    .map((part) => {
      const [name = '', ...type] = part.split(/\s+/)
      return { name, type: type.join(' ').replace(/ (not null|primary key)/g, '') }
    })
}

/** The parts between commas, up to the parenthesis that closes the list. */
function partsOf(text: string): string[] {
  const parts: string[] = []
  let [depth, start] = [0, 0]
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '(') depth += 1
    const isEnd = character === ')' && depth === 0
    if (isEnd || (character === ',' && depth === 0)) {
      parts.push(text.slice(start, at).trim())
      start = at + 1
    }
    if (isEnd) break
    if (character === ')') depth -= 1
  }
  return parts
}
