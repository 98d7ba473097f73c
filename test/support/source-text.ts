/** A source taken apart by its text: the compiler of TypeScript 7 has no programming interface. */
export interface SourceText {
  /** The code alone: comments, strings and regular expressions are blanks, and line breaks and code in `${}` stay. */
  code: string
  /** Strings and templates, as they are written. */
  strings: string[]
  /** Numbers of the lines, from 0, that hold a comment; and of those that hold nothing else. */
  commented: Set<number>
  commentOnly: Set<number>
}

const STRING = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//
// After an operator or a bracket a slash begins a regular expression, and after a value it divides.
const REGULAR_EXPRESSION =
  /(?<=[(,=:[!&|?{};\n]\s*|return\s)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n*[])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])*\/[a-z]*/
const TOKEN = new RegExp([COMMENT, STRING, REGULAR_EXPRESSION].map(({ source }) => source).join('|'), 'g')

export function takeApart(source: string): SourceText {
  const commented = new Set<number>()
  const strings: string[] = []
  const code = source.replaceAll(TOKEN, (token, at: number) => {
    if (/^\/[/*]/.test(token)) {
      const first = lineOf(source, at)
      for (let line = first; line < first + token.split('\n').length; line += 1) commented.add(line)
    } else if (!token.startsWith('/')) strings.push(token)
    if (!token.startsWith('`')) return blank(token)
    return token.replaceAll(/(\$\{[^}]*\})|[^$]+|\$/g, (piece, inserted?: string) =>
      inserted === undefined ? blank(piece) : ` ${piece.slice(1)}`,
    )
  })
  const lines = code.split('\n')
  const commentOnly = new Set([...commented].filter((line) => lines[line]!.trim() === ''))
  return { code, strings, commented, commentOnly }
}

/** From 0. */
export const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length - 1

const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ')
