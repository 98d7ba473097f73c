/** One line of a vCard (RFC 6350) or of iCalendar data (RFC 5545). */
export interface ContentLine {
  /** In upper case, without the group. */
  name: string
  /** By name in upper case. */
  parameters: Record<string, string[]>
  /** As written: escapes in it depend on the property. */
  value: string
}

/** Limit: characters of a vCard or calendar object that are read; the rest is ignored. */
const MAX_CHARACTERS = 1024 * 1024
/** Limit: lines of a vCard or calendar object that are read; further ones are ignored. */
const MAX_LINES = 20_000
/** Limit: parameters of one line of a vCard or calendar object; further ones are ignored. */
const MAX_PARAMETERS = 50

/** Reads the lines of a text. Whatever is not a line is left out. */
export function contentLines(text: string): ContentLine[] {
  // A line is continued by one that begins with a space.
  const unfolded = text.slice(0, MAX_CHARACTERS).replaceAll(/\r?\n[ \t]/g, '')
  return unfolded
    .split(/\r\n|\n|\r/, MAX_LINES)
    .map(readLine)
    .filter((line) => line !== undefined)
}

function readLine(text: string): ContentLine | undefined {
  const end = endOfName(text)
  if (end === 0) return undefined
  const name = text.slice(text.lastIndexOf('.', end - 1) + 1, end).toUpperCase()
  const parameters: Record<string, string[]> = Object.create(null) as Record<string, string[]>
  let at = end
  for (let count = 0; text[at] === ';'; count++) {
    const next = endOfParameter(text, at + 1)
    if (count < MAX_PARAMETERS) addParameter(parameters, text.slice(at + 1, next))
    at = next
  }
  return text[at] === ':' && name !== '' ? { name, parameters, value: text.slice(at + 1) } : undefined
}

function endOfName(text: string): number {
  let at = 0
  while (at < text.length && /[A-Za-z0-9.-]/.test(text.charAt(at))) at += 1
  return at
}

/** Colons and semicolons inside quotes belong to the value. */
function endOfParameter(text: string, from: number): number {
  let isQuoted = false
  let at = from
  for (; at < text.length; at++) {
    const char = text[at]
    if (char === '"') isQuoted = !isQuoted
    else if (!isQuoted && (char === ';' || char === ':')) break
  }
  return at
}

function addParameter(parameters: Record<string, string[]>, text: string): void {
  const equals = text.indexOf('=')
  // vCard 2.1 has types without a name.
  const name = equals < 0 ? 'TYPE' : text.slice(0, equals).toUpperCase()
  const values = splitUnquoted(equals < 0 ? text : text.slice(equals + 1)).map(decodeCarets)
  parameters[name] = [...(parameters[name] ?? []), ...values]
}

function splitUnquoted(text: string): string[] {
  const parts = ['']
  let isQuoted = false
  for (const char of text) {
    if (char === '"') isQuoted = !isQuoted
    else if (char === ',' && !isQuoted) parts.push('')
    else parts.push((parts.pop() ?? '') + char)
  }
  return parts
}

const CARETS: Record<string, string> = { '^n': '\n', "^'": '"', '^^': '^' }

/** RFC 6868. */
const decodeCarets = (text: string): string => text.replaceAll(/\^[n'^]/g, (pair) => CARETS[pair] ?? pair)

/** The text of a value: `\n`, `\,`, `\;` and `\\` stand for single characters. */
export function unescaped(value: string): string {
  return value.replaceAll(/\\([\s\S])/g, (_, char: string) => (char === 'n' || char === 'N' ? '\n' : char))
}

/** The texts of a value with several parts. A separator after a backslash does not separate. */
export function partsOf(value: string, separator: ';' | ','): string[] {
  const parts: string[] = []
  let from = 0
  for (let at = 0; at < value.length; at++) {
    if (value[at] === '\\') at += 1
    else if (value[at] === separator) {
      parts.push(unescaped(value.slice(from, at)))
      from = at + 1
    }
  }
  return [...parts, unescaped(value.slice(from))]
}
