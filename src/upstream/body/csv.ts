import { FormatError } from '#model/format-error.ts'

/** Limit: cells of one CSV response, rows times columns; a larger one is refused. */
const MAX_CSV_CELLS = 200_000
/** Limit: columns of a CSV response; a wider one is refused. */
const MAX_CSV_COLUMNS = 1000
/** Limit: characters of all names of columns that the rows of one CSV response repeat; one with more is refused. */
const MAX_CSV_NAME_TOTAL = 20 * 1024 * 1024

/**
 * Parses CSV (RFC 4180): the first row names the fields of all others. Every value is a text; a row with fewer cells lacks the
 * last fields, and cells beyond the header are an error. A repeated or empty name gets its column number.
 */
export function parseCsv(text: string): Record<string, string>[] {
  const rows = rowsOf(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
  const [header, ...records] = rows
  if (header === undefined) return []
  if (header.length > MAX_CSV_COLUMNS) throw tooLarge()
  const seen = new Set<string>()
  const names = header.map((cell, at) => {
    const name = cell === '' || seen.has(cell) ? `${cell}_${at + 1}` : cell
    seen.add(name)
    return name
  })
  // Every record is stored with the names, so a long one in the first row would be written once for each.
  const perRow = names.reduce((sum, name) => sum + name.length, 0)
  if (perRow * records.length > MAX_CSV_NAME_TOTAL) throw tooLarge()
  return records.map((cells) => {
    if (cells.length > names.length) throw invalid('a row has more cells than the first')
    return Object.fromEntries(cells.map((cell, at) => [names[at]!, cell]))
  })
}

/** Splits the text in one pass. Empty lines are skipped. */
function rowsOf(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cells = 0
  let at = 0
  const endRow = () => {
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }
  while (at < text.length) {
    const quoted = text[at] === '"'
    const { cell, end } = quoted ? quotedCell(text, at) : plainCell(text, at)
    row.push(cell)
    cells += 1
    if (cells > MAX_CSV_CELLS || row.length > MAX_CSV_COLUMNS) throw tooLarge()
    const next = text[end]
    at = end + 1
    if (next === ',') {
      // A comma at the very end is followed by an empty cell.
      if (at === text.length) row.push('')
      continue
    }
    if (next === '\r' && text[at] === '\n') at += 1
    else if (next !== undefined && next !== '\n' && next !== '\r') throw invalid('text after a quoted cell')
    endRow()
  }
  if (row.length > 0) endRow()
  return rows
}

function plainCell(text: string, start: number): { cell: string; end: number } {
  let end = start
  while (end < text.length && !isEnd(text.charCodeAt(end))) end += 1
  return { cell: text.slice(start, end), end }
}

const isEnd = (code: number): boolean => code === 0x2c || code === 0x0a || code === 0x0d

function quotedCell(text: string, start: number): { cell: string; end: number } {
  let from = start + 1
  let cell = ''
  for (;;) {
    const quote = text.indexOf('"', from)
    if (quote < 0) throw invalid('a quoted cell has no end')
    cell += text.slice(from, quote)
    if (text[quote + 1] !== '"') return { cell, end: quote + 1 }
    cell += '"'
    from = quote + 2
  }
}

const invalid = (what: string): FormatError => new FormatError('csv_invalid', `The text is not CSV: ${what}`)

const tooLarge = (): FormatError => new FormatError('csv_too_large', 'The CSV has more cells or columns than accepted')
