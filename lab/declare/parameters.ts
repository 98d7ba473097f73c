import { first } from '../base/pairs.ts'
import type { Refusal } from '../base/reply.ts'
import type { LabRequest } from '../base/request.ts'

/** Reads a value; undefined if it is not allowed. */
type Reader<T> = (value: string) => T | undefined

/** A parameter of the query, undefined if it is absent; `refuse` is the vendor's error for a value that is not allowed. */
export function readParam<T>(
  { query }: LabRequest,
  name: string,
  read: Reader<T>,
  refuse: (value: string) => Refusal,
): T | undefined {
  const value = first(query, name)
  const found = value === undefined ? undefined : read(value)
  if (value !== undefined && found === undefined) throw refuse(value)
  return found
}

/** A value of this form; undefined too if its conversion is not a number. */
export const matching =
  <T>(pattern: RegExp, convert: (value: string) => T): Reader<T> =>
  (value) => {
    const converted = pattern.test(value) ? convert(value) : undefined
    return Number.isNaN(converted) ? undefined : converted
  }

export const oneOf =
  <T extends string>(choices: readonly T[]): Reader<T> =>
  (value) =>
    choices.find((choice) => choice === value)

/** Names separated by spaces, as a vendor's documentation lists them. */
export const nameList = (names: string): string[] => names.trim().split(/\s+/)
