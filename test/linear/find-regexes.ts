import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface FoundRegex {
  file: string
  line: number
  /** As the source has it: `/…/flags`, or the first line of `new RegExp(…`. */
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

// After these a slash divides; after anything else it begins a regular expression.
const ENDS_A_VALUE = /[\w$)\]}]/
const BEFORE_A_VALUE = /\b(return|typeof|case|in|of|do|else|void|delete|throw|new|await|yield)$/

/** Walks over the text as a compiler's scanner does: strings, templates, comments and slashes are told apart. */
export function regexesIn(source: string): { text: string; line: number }[] {
  const found: { text: string; line: number }[] = []
  const lineAt = (at: number) => source.slice(0, at).split('\n').length
  /** For each template that is open: how many braces were open where its `${` began. */
  const templates: number[] = []
  let braces = 0
  let before = ''
  let at = 0
  while (at < source.length) {
    const sign = source[at]!
    const two = source.slice(at, at + 2)
    if (two === '//') {
      at = endOr(source.indexOf('\n', at), source)
      continue
    }
    if (two === '/*') {
      at = endOr(source.indexOf('*/', at), source) + 2
      continue
    }
    if (sign === "'" || sign === '"') at = endOfQuoted(source, at, sign)
    else if (sign === '`' || (sign === '}' && templates.at(-1) === braces)) {
      if (sign === '}') templates.pop()
      at = endOfTemplatePart(source, at + 1)
      if (source[at - 1] === '{') templates.push(braces)
    } else if (sign === '/' && beginsRegex(before)) {
      const end = endOfRegex(source, at)
      found.push({ text: source.slice(at, end), line: lineAt(at) })
      at = end
    } else {
      if (sign === '{') braces += 1
      if (sign === '}') braces -= 1
      const made = /^(new )?RegExp\(/.exec(source.slice(at, at + 12))
      if (made !== null && !/[\w$.]$/.test(before) && !before.endsWith('new')) {
        const end = endOr(source.indexOf('\n', at), source)
        found.push({ text: source.slice(at, end), line: lineAt(at) })
        at += made[0].length - 1
      }
      at += 1
    }
    before = (before + source.slice(at - 1, at)).slice(-20)
    if (/\s/.test(before.at(-1)!)) before = `${before.trimEnd()} `
  }
  return found
}

function beginsRegex(before: string): boolean {
  const code = before.trimEnd()
  return code === '' || !ENDS_A_VALUE.test(code.at(-1)!) || BEFORE_A_VALUE.test(code)
}

function endOr(index: number, source: string): number {
  return index < 0 ? source.length : index
}

function endOfQuoted(source: string, start: number, quote: string): number {
  let at = start + 1
  while (source[at] !== quote) at += source[at] === '\\' ? 2 : 1
  return at + 1
}

/** Behind the closing backtick, or behind the `{` of the next `${`. */
function endOfTemplatePart(source: string, start: number): number {
  let at = start
  for (;;) {
    if (source[at] === '\\') at += 2
    else if (source[at] === '`') return at + 1
    else if (source.startsWith('${', at)) return at + 2
    else at += 1
  }
}

function endOfRegex(source: string, start: number): number {
  let at = start + 1
  let inClass = false
  while (inClass || source[at] !== '/') {
    if (source[at] === '\\') at += 1
    else if (source[at] === '[') inClass = true
    else if (source[at] === ']') inClass = false
    at += 1
  }
  at += 1
  while (/[a-z]/.test(source[at] ?? '')) at += 1
  return at
}
