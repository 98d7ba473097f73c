import { sourceTokens } from './source-tokens.ts'

/** A source split into code, strings and comments. */
export interface SourceText {
  /** The code: comments, strings and regular expressions are blanks; line breaks and code in `${}` remain. */
  code: string
  /** Strings and pieces of templates, as written. */
  strings: string[]
  /** Numbers, from 0, of the lines with a comment, and of those with nothing else. */
  commented: Set<number>
  commentOnly: Set<number>
}

/** Splits a TypeScript source into code, strings and comments. */
export function takeApart(source: string): SourceText {
  const commented = new Set<number>()
  const strings: string[] = []
  let code = ''
  for (const { kind, from, to } of sourceTokens(source)) {
    const text = source.slice(from, to)
    code += kind === 'code' ? text : bracesOf(kind, text)
    if (kind === 'string' || kind === 'template') strings.push(text)
    if (kind !== 'comment') continue
    const first = lineOf(source, from)
    for (let line = first; line < first + text.split('\n').length; line += 1) commented.add(line)
  }
  const lines = code.split('\n')
  const commentOnly = new Set([...commented].filter((line) => lines[line]!.trim() === ''))
  return { code, strings, commented, commentOnly }
}

/** The line of an index, counted from 0. */
export const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length - 1

/** Blanks of the same length, with the braces that a piece of a template opens or closes. */
function bracesOf(kind: string, text: string): string {
  const blank = text.replaceAll(/[^\n]/g, ' ')
  if (kind !== 'template') return blank
  const opened = text.startsWith('}') ? `}${blank.slice(1)}` : blank
  return text.endsWith('${') ? `${opened.slice(0, -1)}{` : opened
}
