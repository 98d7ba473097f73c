/** A part of a source, from the index `from` up to `to`. */
export interface SourceToken {
  /** `template` is a piece of a template, up to its end or to the next `${`; the text in the braces is code again. */
  kind: 'code' | 'comment' | 'string' | 'template' | 'regex'
  from: number
  to: number
}

// After these a slash is a division; after anything else it begins a regular expression. A `!` may say that the value is not null.
const ENDS_A_VALUE = /[\w$)\]}'"`]!?$/
const BEFORE_A_VALUE = /\b(return|typeof|case|in|of|do|else|void|delete|throw|new|await|yield)$/

/** Scans a TypeScript source. Written here because the compiler of TypeScript 7 has no programming interface. */
export function* sourceTokens(source: string): Generator<SourceToken> {
  /** For each open template: the number of open braces where its `${` began. */
  const templates: number[] = []
  let braces = 0
  /** The end of the code before this position, without comments. */
  let before = ''
  let codeFrom = 0
  let at = 0
  while (at < source.length) {
    const sign = source[at]!
    const kind = kindAt(source, at, before, templates.at(-1) === braces)
    if (kind === 'code') {
      if (sign === '{') braces += 1
      if (sign === '}') braces -= 1
      before = /\s/.test(sign) ? `${before.trimEnd()} ` : (before + sign).slice(-20)
      at += 1
      continue
    }
    if (codeFrom < at) yield { kind: 'code', from: codeFrom, to: at }
    const to = END_OF[kind](source, at)
    if (kind === 'template') {
      if (sign === '}') templates.pop()
      if (source[to - 1] === '{') templates.push(braces)
    }
    yield { kind, from: at, to }
    if (kind !== 'comment') before = source.slice(Math.max(at, to - 20), to)
    at = to
    codeFrom = to
  }
  if (codeFrom < at) yield { kind: 'code', from: codeFrom, to: at }
}

function kindAt(source: string, at: number, before: string, endsBraces: boolean): SourceToken['kind'] {
  const sign = source[at]!
  if (sign === "'" || sign === '"') return 'string'
  if (sign === '`' || (sign === '}' && endsBraces)) return 'template'
  if (sign !== '/') return 'code'
  if (source[at + 1] === '/' || source[at + 1] === '*') return 'comment'
  const code = before.trimEnd()
  const begins = code === '' || !ENDS_A_VALUE.test(code) || BEFORE_A_VALUE.test(code)
  return begins ? 'regex' : 'code'
}

const END_OF: Record<Exclude<SourceToken['kind'], 'code'>, (source: string, start: number) => number> = {
  comment: (source, start) => {
    const isLine = source[start + 1] === '/'
    const end = source.indexOf(isLine ? '\n' : '*/', start)
    return end < 0 ? source.length : end + (isLine ? 0 : 2)
  },
  string: (source, start) => {
    let at = start + 1
    while (at < source.length && source[at] !== source[start]) at += source[at] === '\\' ? 2 : 1
    return at + 1
  },
  // After the closing backtick, or after the `{` of the next `${`.
  template: (source, start) => {
    for (let at = start + 1; ; ) {
      if (at >= source.length) return at
      if (source[at] === '\\') at += 2
      else if (source[at] === '`') return at + 1
      else if (source.startsWith('${', at)) return at + 2
      else at += 1
    }
  },
  regex: (source, start) => {
    let at = start + 1
    let inClass = false
    while (at < source.length && (inClass || source[at] !== '/')) {
      if (source[at] === '\\') at += 1
      else if (source[at] === '[') inClass = true
      else if (source[at] === ']') inClass = false
      at += 1
    }
    at += 1
    while (/[a-z]/.test(source[at] ?? '')) at += 1
    return at
  },
}
