type Write = (text: string) => void

/** What a command says: one JSON document with `--json`, otherwise calm text, coloured only on a terminal. */
export interface Output {
  readonly json: boolean
  readonly fancy: boolean
  /** The result: the document for scripts, the lines for people. */
  result(document: unknown, lines: () => string[]): void
  /** A piece of a result that is too large for one document in memory. */
  raw(text: string): void
  /** A remark for people, never part of the document. */
  note(line: string): void
  /** Replaces itself on a terminal; silent elsewhere. */
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
      stdout(json ? `${JSON.stringify(document, null, 2)}\n` : `${lines().join('\n')}\n`)
    },
    raw: (text) => {
      clear()
      stdout(text)
    },
    note: (line) => {
      clear()
      if (!json) stderr(`${line}\n`)
    },
    progress: (line) => {
      if (!fancy || json) return
      clear()
      stderr(line)
      pending = true
    },
    bold: (text) => style(1, text),
    dim: (text) => style(2, text),
  }
}

/** Columns as wide as their widest cell. */
export function table(rows: string[][]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
