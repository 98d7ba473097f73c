/** Where and why a text is not JSON. Names what was expected there and repeats nothing of the text. */
export interface JsonFault {
  line: number
  column: number
  problem: string
}

interface Scan {
  text: string
  at: number
}

class Fault extends Error {}

const SPACE = /[ \t\r\n]*/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /true|false|null/y
const PLAIN = /[ !#-[\]-\u{10FFFF}]*/uy
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/** Finds the first fault, in time that grows with the text; undefined if it is JSON. Meant for a text that could not be parsed. */
export function findJsonFault(text: string): JsonFault | undefined {
  const scan: Scan = { text, at: 0 }
  try {
    scanDocument(scan)
    return undefined
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const before = text.slice(0, scan.at)
    const line = before.split('\n').length
    return { line, column: scan.at - before.lastIndexOf('\n'), problem: error.message }
  }
}

/** Without recursion: the text may be nested as deep as it is long. */
function scanDocument(scan: Scan): void {
  const closers: string[] = []
  do {
    skip(scan, SPACE)
    const closer = { '{': '}', '[': ']' }[scan.text[scan.at] ?? '']
    if (closer === undefined) scanScalar(scan)
    else if (!isEmptyContainer(scan, closer)) {
      closers.push(closer)
      if (closer === '}') scanName(scan)
      continue
    }
    closeContainers(scan, closers)
  } while (closers.length > 0)
  if (scan.at < scan.text.length) throw new Fault('something follows after the end of the value')
}

/** Moves behind the opening bracket, and behind the closing one if nothing is between them. */
function isEmptyContainer(scan: Scan, closer: string): boolean {
  scan.at += 1
  skip(scan, SPACE)
  if (scan.text[scan.at] !== closer) return false
  scan.at += 1
  return true
}

function closeContainers(scan: Scan, closers: string[]): void {
  for (;;) {
    skip(scan, SPACE)
    const closer = closers.at(-1)
    if (closer === undefined) return
    const next = scan.text[scan.at]
    if (next === ',') {
      scan.at += 1
      skip(scan, SPACE)
      if (closer === '}') scanName(scan)
      return
    }
    if (next !== closer) throw new Fault(expected(scan, `a comma or “${closer}”`))
    scan.at += 1
    closers.pop()
  }
}

function scanName(scan: Scan): void {
  if (scan.text[scan.at] !== '"') throw new Fault(expected(scan, 'a name in double quotes'))
  scanText(scan)
  skip(scan, SPACE)
  if (scan.text[scan.at] !== ':') throw new Fault(expected(scan, 'a colon'))
  scan.at += 1
  skip(scan, SPACE)
}

function scanScalar(scan: Scan): void {
  if (scan.text[scan.at] === '"') scanText(scan)
  else if (!skip(scan, NUMBER) && !skip(scan, WORD)) throw new Fault(expected(scan, 'a value'))
}

function scanText(scan: Scan): void {
  const start = scan.at
  scan.at += 1
  do skip(scan, PLAIN)
  while (skip(scan, ESCAPE))
  const next = scan.text[scan.at]
  if (next === '"') scan.at += 1
  else if (next === undefined) {
    scan.at = start
    throw new Fault('the text that begins here does not end')
  } else throw new Fault(next === '\\' ? 'unknown escape sequence' : 'a control character must be escaped')
}

function skip(scan: Scan, pattern: RegExp): boolean {
  pattern.lastIndex = scan.at
  const length = pattern.exec(scan.text)?.[0].length ?? 0
  scan.at += length
  return length > 0
}

function expected(scan: Scan, what: string): string {
  return scan.at >= scan.text.length ? `the text ends where ${what} is expected` : `expected ${what}`
}
