/** A value for a placeholder. `undefined` is not allowed; write optional values as `value ?? null`. */
export type SqlValue = string | number | boolean | object | null

type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9'
type Lower =
  | ('a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j' | 'k' | 'l' | 'm')
  | ('n' | 'o' | 'p' | 'q' | 'r' | 's' | 't' | 'u' | 'v' | 'w' | 'x' | 'y' | 'z')
type Letter = Lower | Uppercase<Lower> | '_'

type Leading<Text extends string, Name extends string = ''> = Text extends `${infer First}${infer Rest}`
  ? First extends Letter | Digit
    ? Leading<Rest, `${Name}${First}`>
    : Name
  : Name

type Named<Name extends string> = Name extends `${Letter}${string}` ? Name : never

/** The placeholder names in a text: `'a' | 'b'` for `select $a, $b`. `never` for none, or for a text not known at compile time. */
export type NamesIn<Text extends string> = string extends Text
  ? never
  : Text extends `${string}$${infer Rest}`
    ? Named<Leading<Rest>> | NamesIn<Rest>
    : never

export interface CompiledText {
  /** With `$1`, `$2`, … in the order of first use. */
  text: string
  names: string[]
}

// Skipped tokens come first: strings, quoted names, dollar-quoted strings, numbered placeholders.
const TOKEN = /'[^']*'|"[^"]*"|\$([A-Za-z_]\w*|)\$|\$(\d+)|\$([A-Za-z_]\w*)/g

/** Replaces `$name` by numbers. A text without names is unchanged. */
export function compileNames(text: string): CompiledText {
  const names: string[] = []
  let compiled = ''
  let isNumbered = false
  let at = 0
  for (;;) {
    TOKEN.lastIndex = at
    const found = TOKEN.exec(text)
    if (found === null) break
    const [token, tag, digits, name] = found
    compiled += text.slice(at, found.index)
    at = found.index + token.length
    if (name !== undefined) {
      if (!names.includes(name)) names.push(name)
      compiled += `$${names.indexOf(name) + 1}`
      continue
    }
    if (digits !== undefined) isNumbered = true
    if (tag !== undefined) {
      const end = text.indexOf(token, at)
      at = end === -1 ? text.length : end + token.length
    }
    compiled += text.slice(found.index, at)
  }
  if (isNumbered && names.length > 0) throw new Error(`Placeholders must be either all named or all numbered: ${text}`)
  return { text: compiled + text.slice(at), names }
}

/** The values in the order of their placeholders. */
export function orderValues(statement: string, names: readonly string[], values: Record<string, unknown>): unknown[] {
  return names.map((name) => {
    const value = values[name]
    if (value === undefined) throw new Error(`Statement ${statement} has no value for $${name}.`)
    return value
  })
}
