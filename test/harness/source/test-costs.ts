import { takeApart } from './source-text.ts'

/** A place in a test file that costs time at each run, and the line that it is in, from 1. */
export interface Place {
  line: number
  text: string
}

/** Calls of timers that no comment in the same line or directly above explains. */
export function unexplainedTimers(source: string): Place[] {
  const { code, commented, commentOnly } = takeApart(source)
  return placesOf(source, code, /(?<!\.)\b(?:sleep|setTimeout|setInterval)\(/).filter(
    ({ line }) => !commented.has(line - 1) && !commentOnly.has(line - 2),
  )
}

const START = /\bstart(?:Tributary|\w*Harness)\(/

/**
 * Starts of a service that are repeated for each test, unless a comment directly above says why, and, of those within one test, more
 * than `most` of a file.
 */
export function startsPerTest(source: string, most: number): Place[] {
  const { code, commentOnly } = takeApart(source)
  const lines = code.split('\n')
  const places = placesOf(source, code, START).filter(({ line }) => !/\bfunction\b/.test(lines[line - 1]!))
  // What a file calls to start one counts as well.
  const own = places.map(({ line }) => above(lines, line).find((head) => FUNCTION.test(head) && !BLOCK.test(head)))
  const names = own.flatMap(
    (head) =>
      FUNCTION.exec(head ?? '')
        ?.slice(1)
        .find(Boolean) ?? [],
  )
  const calls = names.flatMap((name) => placesOf(source, code, new RegExp(`(?<!function )\\b${name}\\(`)))
  const repeated: Place[] = []
  const once: Place[] = []
  for (const place of [...places, ...calls]) {
    const heads = [lines[place.line - 1]!, ...above(lines, place.line)]
    const at = heads.findIndex((head) => /\btest\(/.test(head))
    const isRepeated =
      heads.some((head) => /\bbeforeEach\(/.test(head)) ||
      (at !== -1 && heads.slice(at).some((head) => /^\s*for \(/.test(head)))
    if (isRepeated && !commentOnly.has(place.line - 2)) repeated.push(place)
    else if (!isRepeated && at !== -1) once.push(place)
  }
  return [...repeated, ...(once.length > most ? once : [])].toSorted((a, b) => a.line - b.line)
}

const BLOCK = /\b(?:before|beforeEach|test|suite|after)\(/
const FUNCTION = /\bfunction (\w+)|\bconst (\w+) = async\b/

function placesOf(source: string, code: string, pattern: RegExp): Place[] {
  const texts = source.split('\n')
  return code.split('\n').flatMap((line, i) => (pattern.test(line) ? [{ line: i + 1, text: texts[i]!.trim() }] : []))
}

/** The heads of the blocks that a line is in, the nearest first: lines above that are indented less than all between. */
function above(lines: string[], line: number): string[] {
  const heads: string[] = []
  let indent = indentOf(lines[line - 1]!)
  for (let i = line - 2; i >= 0 && indent > 0; i -= 1) {
    const text = lines[i]!
    if (text.trim() === '' || indentOf(text) >= indent) continue
    indent = indentOf(text)
    heads.push(text)
  }
  return heads
}

const indentOf = (text: string): number => text.length - text.trimStart().length
