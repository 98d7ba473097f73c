const MEGABYTE = 1024 * 1024
/** Characters that stand for what classes and escapes match. */
const SIGNS = Array.from('a0 <"\n\tA_-./\\:;,>\'&=!?()[]{}%+@#*~|^$`é\u0301东\u0002')
const TOKEN = /\\p\{[^}]+\}|\\u[\da-fA-F]{4}|\\.|\[(?:\\.|[^\]\\])*\]|\(\?(?:<?[=!]|<\w+>|:)|[()|^$]|[^()|]/suy
const REPEAT = /(?:[*+?]|\{(\d+),?\d*\})\??/y

/** A literal from the source as a value. */
export function regexOf(literal: string): RegExp {
  const end = literal.lastIndexOf('/')
  return new RegExp(literal.slice(1, end), literal.slice(end + 1))
}

/**
 * Texts of a megabyte that make an expression with nested or adjacent repeats backtrack: the start of a match,
 * repeated; or once, followed by one repeated character; then something that cannot match.
 */
export function* worstInputs(regex: RegExp): Generator<string> {
  const beginnings = new Set<string>()
  for (const samples of [samplesOf(regex, true), samplesOf(regex, false)])
    for (let i = 1; i <= samples.length; i += 1) beginnings.add(samples.slice(0, i).join(''))
  beginnings.delete('')
  const signs = new Set([...likedSigns(regex), ' ', 'a'])
  for (const pump of beginnings) yield `${long(pump)}\u0001`
  for (const sign of signs) for (const begin of ['', ...beginnings]) yield `${begin}${long(sign)}\u0001`
}

export function long(pump: string): string {
  return pump.repeat(Math.ceil(MEGABYTE / pump.length))
}

/** Finds all matches, as the sources do. */
export function search(regex: RegExp, text: string): void {
  regex.lastIndex = 0
  if (regex.global) text.replaceAll(regex, '')
  else regex.test(text)
}

/**
 * A text that each step of the expression matches; adjacent letters are one step. Once with all optional parts and the
 * first of the alternatives, once without optional parts and with the last.
 */
function samplesOf(regex: RegExp, full: boolean): string[] {
  const { source } = regex
  let at = 0
  const next = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(source)
    at += found?.[0].length ?? 0
    return found
  }
  const group = (): string[] => {
    const alternatives: string[][] = [[]]
    let isLetters = false
    for (;;) {
      const token = next(TOKEN)?.[0]
      if (token === undefined || token === ')') return alternatives.at(full ? 0 : -1)!
      if (token === '|') {
        alternatives.push([])
        continue
      }
      const steps = alternatives.at(-1)!
      const inner = token.startsWith('(') ? group() : [sampleOf(regex, token)]
      const repeat = next(REPEAT)
      const count = repeat === null || repeat[0].startsWith('+') ? 1 : Number(repeat[1] ?? full)
      const isLetter = token.length === 1 && repeat === null
      if (/^\(\?<?[=!]/.test(token) || count === 0) isLetters = false
      else if (isLetter && isLetters) steps.push(`${steps.pop()}${inner[0]}`)
      else {
        steps.push(...inner.map((each) => each.repeat(token.startsWith('(') ? 1 : count)))
        isLetters = isLetter
      }
    }
  }
  return group()
}

function sampleOf(regex: RegExp, token: string): string {
  if (/^(?:\^|\$|\\[bB\d])$/.test(token)) return ''
  if (token.length === 1) return token === '.' ? 'a' : token
  const one = new RegExp(`^${token}$`, regex.flags.replaceAll(/[gy]/g, ''))
  return SIGNS.find((sign) => one.test(sign)) ?? ''
}

function likedSigns(regex: RegExp): string[] {
  const classes = regex.source.match(/\[(?:\\.|[^\]\\])*\]|\\[sSdDwW]|\\p\{[^}]+\}/g) ?? []
  const liked = classes.flatMap((each) => {
    const one = new RegExp(`^${each}$`, regex.flags.replaceAll(/[gy]/g, ''))
    return SIGNS.filter((sign) => one.test(sign)).slice(0, 2)
  })
  return [...liked, ...(regex.source.match(/[^\w\\](?=[*+])/g) ?? [])].slice(0, 6)
}
