import { ApiError, invalidInput } from '#model/errors.ts'
import type { HttpRequest } from '../exchange/request.ts'

const FAULT = 'must not contain the character U+0000.'

/** The error for a text with U+0000, which PostgreSQL cannot store: it names the parameter or the field of the body. */
export function nulError({ params, query, body }: HttpRequest, cause: unknown): ApiError {
  const parameter = pathToNul({ ...asObject(params), ...asObject(query) })
  if (parameter !== undefined) return invalidInput('bad_parameter', parameter.join('.'), FAULT, cause)
  const field = pathToNul(body)
  if (field !== undefined) return invalidInput('bad_body', field.join('.'), FAULT, cause)
  return new ApiError('bad_parameter', `A text ${FAULT}`, { cause })
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}

/** Limit: depth in a body to which a text with U+0000 is searched; deeper ones are refused without their name. */
const MAX_DEPTH = 16

function pathToNul(root: unknown): string[] | undefined {
  const open: { value: unknown; path: string[] }[] = [{ value: root, path: [] }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next
    if (typeof value === 'string' && value.includes('\0')) return path
    if (value === null || typeof value !== 'object' || path.length === MAX_DEPTH) continue
    for (const [name, inner] of Object.entries(value)) open.push({ value: inner, path: [...path, name] })
  }
  return undefined
}
