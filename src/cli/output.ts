import { escapeForTerminal } from '#platform/formats/escape-controls.ts'

type Write = (text: string) => void

/** Output of a command: one JSON document with `--json`, otherwise text, styled only on a terminal. */
export interface Output {
  readonly json: boolean
  readonly fancy: boolean
  /** Prints the result: the document with `--json`, otherwise the lines. */
  result(document: unknown, lines: () => string[]): void
  /** Prints a piece of a result that is too large for memory. */
  raw(text: string): void
  /** Prints a remark to stderr; nothing with `--json`. */
  note(line: string): void
  /** Prints a line that the next output replaces; nothing unless on a terminal. */
  progress(line: string): void
  bold(text: string): string
  dim(text: string): string
}

export function createOutput(options: { json: boolean; fancy: boolean; stdout: Write; stderr: Write }): Output {
  const { json, fancy, stdout, stderr } = options
  const style = (code: number, text: string) => (fancy ? `\u001b[${code}m${text}\u001b[0m` : text)
  let pending = false
  const clear = () => {
    if (pending) stderr('\r\u001b[2K')
    pending = false
  }
  return {
    json,
    fancy,
    result: (document, lines) => {
      clear()
      stdout(json ? `${JSON.stringify(document, null, 2)}\n` : `${escapeForTerminal(lines().join('\n'))}\n`)
    },
    raw: (text) => {
      clear()
      stdout(text)
    },
    note: (line) => {
      clear()
      if (!json) stderr(`${escapeForTerminal(line)}\n`)
    },
    progress: (line) => {
      if (!fancy || json) return
      clear()
      stderr(escapeForTerminal(line))
      pending = true
    },
    bold: (text) => style(1, text),
    dim: (text) => style(2, text),
  }
}

/** Formats rows as columns, each as wide as its widest cell. A cell is one line, whatever a service or a person wrote into it. */
export function table(given: string[][]): string[] {
  const rows = given.map((row) => row.map((cell) => escapeForTerminal(cell).replaceAll('\n', '\\n')))
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
