import type { z } from 'zod'

/** How a value was written: as pairs (a query, a form), where a list means a repeated name, or as JSON. */
export type Notation = 'pairs' | 'json'

/** Says in a plain sentence, without a full stop, why a value does not match its schema. Repeats nothing of the value. */
export function faultOf(issue: z.core.$ZodRawIssue, notation: Notation): string {
  const { input } = issue
  if (input === undefined) return 'is missing'
  if (notation === 'pairs' && Array.isArray(input)) return 'was given more than once'
  switch (issue.code) {
    case 'invalid_type':
      return typeFault(issue.expected, input, notation)
    case 'too_small':
      return smallFault(issue)
    case 'too_big':
      return `must ${issue.inclusive === false ? 'be less than' : (BIG[issue.origin] ?? 'be at most')} ${amount(issue.maximum, issue.origin)}`
    case 'invalid_value':
      return valuesFault(issue.values)
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'invalid_format':
      return `must have the form of ${FORMATS[issue.format] ?? issue.format}`
    case 'unrecognized_keys':
      return 'is not a known field'
    case 'invalid_union':
      return unionFault(issue.errors)
    case 'invalid_key':
      return 'has a name that is not allowed'
    case 'invalid_element':
      return 'has an entry that is not allowed'
    case 'custom':
      return 'cannot be understood'
    default:
      return issue satisfies never
  }
}

const EXPECTED: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}
const FORMATS: Record<string, string> = { url: 'an address', email: 'an e-mail address', regex: 'its pattern' }
const BIG: Record<string, string> = {
  string: 'have at most',
  array: 'have at most',
  set: 'have at most',
  map: 'have at most',
}

function typeFault(expected: string, input: unknown, notation: Notation): string {
  const wanted = `must be ${EXPECTED[expected] ?? `a ${expected}`}`
  // A query has only texts, and a number with a fraction is a number too: naming the kind says nothing.
  const isNumber = typeof input === 'number' && (expected === 'number' || expected === 'int')
  return notation === 'pairs' || isNumber ? wanted : `${wanted}, not ${kindOf(input)}`
}

function kindOf(input: unknown): string {
  if (input === null) return 'null'
  if (Array.isArray(input)) return 'a list'
  if (typeof input === 'boolean') return String(input)
  return EXPECTED[typeof input] ?? `a ${typeof input}`
}

function smallFault({
  minimum,
  origin,
  inclusive,
}: Pick<z.core.$ZodIssueTooSmall, 'minimum' | 'origin' | 'inclusive'>): string {
  const isCounted = BIG[origin] !== undefined
  if (isCounted && Number(minimum) === 1) return 'is empty'
  if (isCounted) return `must have at least ${amount(minimum, origin)}`
  return inclusive === false ? `must be more than ${minimum}` : `must be ${minimum} or more`
}

function amount(count: number | bigint, origin: string): string {
  if (origin === 'string') return `${count} characters`
  return BIG[origin] === undefined ? String(count) : `${count} entries`
}

function valuesFault(values: readonly unknown[]): string {
  const texts = values.map(String)
  return texts.length === 1 ? `must be ${texts[0]}` : `must be one of ${texts.join(', ')}`
}

/** All forms that are allowed, if each fails as a whole; a fault deeper inside says nothing about the other forms. */
function unionFault(errors: readonly (readonly z.core.$ZodIssue[])[]): string {
  const faults = errors.map(([first]) => (first?.path.length === 0 ? first.message : undefined))
  if (faults.length === 0 || faults.includes(undefined)) return 'has none of the allowed forms'
  return [...new Set(faults)].join(', or ')
}
