import { sourceTokens } from './source-tokens.ts'

export interface SourceText {
  /** The code alone: comments, strings and regular expressions are blanks, and line breaks and code in `${}` stay. */
  code: string
  /** Strings and pieces of templates, as they are written. */
  strings: string[]
  /** Numbers of the lines, from 0, that hold a comment; and of those that hold nothing else. */
  commented: Set<number>
  commentOnly: Set<number>
}

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

/** From 0. */
export const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length - 1

/** Blanks, with the braces that a piece of a template opens or closes. */
function bracesOf(kind: string, text: string): string {
  const blank = text.replaceAll(/[^\n]/g, ' ')
  if (kind !== 'template') return blank
  const opened = text.startsWith('}') ? `}${blank.slice(1)}` : blank
  return text.endsWith('${') ? `${opened.slice(0, -1)}{` : opened
}
