import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sourceTokens } from '../harness/source/source-tokens.ts'

export interface FoundRegex {
  file: string
  line: number
  /** As written in the source: `/…/flags`, or the first line of `new RegExp(…`. */
  text: string
}

/** Every regular expression in the sources: literals, and calls of `RegExp`. */
export function findRegexes(root: string): FoundRegex[] {
  return globSync('src/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .toSorted()
    .flatMap((file) =>
      regexesIn(readFileSync(join(root, file), 'utf8')).map(({ text, line }) => ({ file, line, text })),
    )
}

export function regexesIn(source: string): { text: string; line: number }[] {
  const found: { text: string; line: number }[] = []
  const note = (from: number, to: number) =>
    found.push({ text: source.slice(from, to), line: source.slice(0, from).split('\n').length })
  for (const { kind, from, to } of sourceTokens(source)) {
    if (kind === 'regex') note(from, to)
    if (kind !== 'code') continue
    for (const { index } of source.slice(from, to).matchAll(/(?<![\w$.])(?:new )?RegExp\(/g)) {
      const end = source.indexOf('\n', from + index)
      note(from + index, end < 0 ? source.length : end)
    }
  }
  return found
}
