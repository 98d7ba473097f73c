const QUOTE = 0x22
const BACKSLASH = 0x5c
const LONGEST_SAFE_DIGITS = 15
/** An exponent of at most this many digits keeps a safe number within the range of a double. */
const LONGEST_SAFE_EXPONENT = 2

export interface JsonScan {
  /** Deepest nesting of arrays and objects; counting stops just above the limit. */
  depth: number
  /** Positions of numbers that JSON.parse may change: by losing digits or by leaving the range of a double. */
  unsafeNumbers: number[]
  /** Lower bound of the number of values, nested ones included; counting stops just above the limit. */
  values: number
}

/** Scans the text once without recursion, before it is parsed. Skips strings. */
export function scanJson(text: string, maxDepth: number, maxValues = Number.POSITIVE_INFINITY): JsonScan {
  let depth = 0
  let deepest = 0
  let digits = 0
  let longest = LONGEST_SAFE_DIGITS
  let numberAt = 0
  let values = 0
  const unsafeNumbers: number[] = []
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code >= 0x30 && code <= 0x39) {
      if (++digits > longest) {
        unsafeNumbers.push(numberAt)
        longest = Number.POSITIVE_INFINITY
      }
      continue
    }
    if (code === 0x2e) {
      // Digits after the point may be rounded, as by every JSON parser.
      longest = Number.POSITIVE_INFINITY
      continue
    }
    if (code === 0x65 || code === 0x45) {
      digits = 0
      longest = LONGEST_SAFE_EXPONENT
      continue
    }
    if ((code === 0x2d || code === 0x2b) && longest === LONGEST_SAFE_EXPONENT) continue
    digits = 0
    longest = LONGEST_SAFE_DIGITS
    numberAt = code === 0x2d ? index : index + 1
    if (code === QUOTE) {
      index = endOfString(text, index)
      if (index < 0) break
      numberAt = index + 1
    } else if (code === 0x5b || code === 0x7b) {
      deepest = Math.max(deepest, ++depth)
      if (deepest > maxDepth || ++values > maxValues) break
    } else if (code === 0x2c) {
      if (++values > maxValues) break
    } else if (code === 0x5d || code === 0x7d) {
      depth--
    }
  }
  return { depth: deepest, unsafeNumbers, values }
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++
  return backslashes % 2 === 1
}
