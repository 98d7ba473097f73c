import { lineOf, takeApart } from './source-text.ts'

/** A place in a source that catches an error and does not use it. */
export interface IgnoredError {
  /** Counted from 1. */
  line: number
  text: string
  /** Whether a comment says why: inside, on the same line, or, for a handler, directly above. */
  explained: boolean
}

/** Finds catch clauses and rejection handlers that never mention the error they get. */
export function ignoredErrors(source: string): IgnoredError[] {
  const { code, commented, commentOnly } = takeApart(source)
  const found: IgnoredError[] = []
  const note = (from: number, to: number, isHandler: boolean) => {
    const [first, last] = [lineOf(code, from), lineOf(code, to)]
    const inside = [...commented].some((line) => line >= first && line <= last)
    found.push({
      line: first + 1,
      text: source.split('\n')[first]!.trim(),
      explained: inside || (isHandler && commentOnly.has(first - 1)),
    })
  }
  for (const { index, 0: head, 1: name } of code.matchAll(/(?<!\.)\bcatch\s*(?:\(\s*(\w+)[^)]*\)\s*)?\{/g)) {
    const open = index + head.length - 1
    const close = closing(code, open)
    if (name === undefined || !mentions(code.slice(open, close), name)) note(index, close, false)
  }
  for (const { index, 0: head } of code.matchAll(/\.(?:catch|then)\(/g)) {
    const open = index + head.length - 1
    const close = closing(code, open)
    const handler = argumentsIn(code.slice(open + 1, close))[head === '.catch(' ? 0 : 1]?.trim() ?? ''
    const [whole, name] = /^(?:async\s*)?\(\s*(\w*)[^)]*\)/.exec(handler) ?? []
    if (whole === undefined) continue
    if (name === '' || !mentions(handler.slice(whole.length), name!)) note(index, close, true)
  }
  return found.toSorted((a, b) => a.line - b.line)
}

const mentions = (code: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(code)

/** The index of the bracket that closes the one at `open`. */
function closing(code: string, open: number): number {
  let depth = 0
  for (let at = open; at < code.length; at += 1) {
    depth += depthOf(code[at]!)
    if (depth === 0) return at
  }
  throw new Error(`Nothing closes the bracket in line ${lineOf(code, open) + 1}.`)
}

function argumentsIn(code: string): string[] {
  const parts = ['']
  let depth = 0
  for (const character of code) {
    depth += depthOf(character)
    if (character === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts
}

function depthOf(character: string): number {
  if ('([{'.includes(character)) return 1
  return ')]}'.includes(character) ? -1 : 0
}
