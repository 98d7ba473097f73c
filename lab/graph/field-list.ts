import { graphError } from './graph-error.ts'

/** One entry of `fields=`, for example `comments.limit(5).summary(true){message,from}`. */
export interface FieldRequest {
  name: string
  args: Record<string, string>
  fields?: FieldRequest[]
  alias?: string
}

/** Parses the field expansion syntax of the Graph API. */
export function parseFields(text: string): FieldRequest[] {
  let at = 0
  const wrong = () =>
    graphError(`Syntax error "Expected end of string instead of "${text[at] ?? ''}"." at character ${at}: ${text}`, {
      code: 2500,
    })
  const take = (pattern: RegExp): string | undefined => {
    const found = new RegExp(pattern.source, 'y')
    found.lastIndex = at
    const match = found.exec(text)
    if (!match) return undefined
    at += match[0].length
    return match[1] ?? match[0]
  }

  function one(): FieldRequest {
    const name = take(/\s*([A-Za-z_][A-Za-z0-9_]*)/)
    if (name === undefined) throw wrong()
    const field: FieldRequest = { name, args: {} }
    while (take(/\./) !== undefined) {
      const modifier = take(/[A-Za-z_]+/)
      const value = take(/\(([^()]*)\)/)
      if (modifier === undefined || value === undefined) throw wrong()
      if (modifier === 'as') field.alias = value
      else field.args[modifier] = value
    }
    if (take(/\{/) !== undefined) {
      field.fields = list()
      if (take(/\s*\}/) === undefined) throw wrong()
    }
    return field
  }

  function list(): FieldRequest[] {
    const fields = [one()]
    while (take(/\s*,/) !== undefined) fields.push(one())
    return fields
  }

  const all = list()
  take(/\s*/)
  if (at < text.length) throw wrong()
  return all
}
