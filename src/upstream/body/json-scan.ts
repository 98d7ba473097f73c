const QUOTE = 0x22
const BACKSLASH = 0x5c
const LONGEST_SAFE_DIGITS = 15

export interface JsonScan {
  /** Deepest nesting of arrays and objects; counting stops just over the cap. */
  depth: number
  /** False: no number in the text can lose digits or leave the range of a double, so that plain parsing is exact. */
  needsCare: boolean
}

/** One pass over the text without recursion, before anything is built from it. Strings are jumped over. */
export function scanJson(text: string, maxDepth: number): JsonScan {
  let depth = 0
  let deepest = 0
  let digits = 0
  let needsCare = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code >= 0x30 && code <= 0x39) {
      if (++digits > LONGEST_SAFE_DIGITS) needsCare = true
      continue
    }
    // An exponent right behind a digit may leave the range of a double.
    if (digits > 0 && (code === 0x65 || code === 0x45)) needsCare = true
    digits = 0
    if (code === QUOTE) {
      index = endOfString(text, index)
      if (index < 0) break
    } else if (code === 0x5b || code === 0x7b) {
      deepest = Math.max(deepest, ++depth)
      if (deepest > maxDepth) break
    } else if (code === 0x5d || code === 0x7d) {
      depth--
    }
  }
  return { depth: deepest, needsCare }
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
