import { first } from '../../base/pairs.ts'
import type { LabRequest } from '../../base/request.ts'
import { invalidParameter } from './problems.ts'

/** Rejects unknown and repeated parameters. */
export function checkNames({ query }: LabRequest, allowed: readonly string[]): void {
  for (const [at, [name, value]] of query.entries()) {
    if (!allowed.includes(name))
      throw invalidParameter(name, value, `The query parameter [${name}] is not one of [${allowed.join(',')}]`)
    if (query.findIndex(([other]) => other === name) !== at)
      throw invalidParameter(name, value, `The query parameter [${name}] is given more than once`)
  }
}

export function countParam(request: LabRequest, least: number, most: number, otherwise: number): number {
  const value = first(request.query, 'max_results')
  if (value === undefined) return otherwise
  const count = /^\d+$/.test(value) ? Number(value) : -1
  if (count >= least && count <= most) return count
  throw invalidParameter(
    'max_results',
    value,
    `The \`max_results\` query parameter value [${value}] is not between ${least} and ${most}`,
  )
}

export function idParam(request: LabRequest, name: string): string | undefined {
  const value = first(request.query, name)
  if (value === undefined) return undefined
  return checkedId(name, value)
}

export function checkedId(name: string, value: string): string {
  if (/^\d{1,19}$/.test(value)) return value
  throw invalidParameter(name, value, `The \`${name}\` query parameter value [${value}] is not valid`)
}

export function timeParam(request: LabRequest, name: string): number | undefined {
  const value = first(request.query, name)
  if (value === undefined) return undefined
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/.test(value)) return Date.parse(value)
  throw invalidParameter(
    name,
    value,
    `The \`${name}\` query parameter value [${value}] is not a valid RFC3339 date-time`,
  )
}

/** A comma-separated list of values from a fixed set. */
export function listParam(request: LabRequest, name: string, allowed: readonly string[]): string[] {
  const value = first(request.query, name)
  if (value === undefined) return []
  const names = value.split(',')
  const wrong = names.find((one) => !allowed.includes(one))
  if (wrong === undefined) return names
  throw invalidParameter(
    name,
    value,
    `The \`${name}\` query parameter value [${wrong}] is not one of [${allowed.join(',')}]`,
  )
}
