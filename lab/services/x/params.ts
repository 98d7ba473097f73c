import { first } from '../../base/pairs.ts'
import type { Refusal } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import { matching, readParam } from '../../declare/parameters.ts'
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

export const wrong = (name: string, value: string, problem: string, named = value): Refusal =>
  invalidParameter(name, value, `The \`${name}\` query parameter value [${named}] ${problem}`)

export const countParam = (request: LabRequest, least: number, most: number, otherwise: number): number =>
  readParam(
    request,
    'max_results',
    (value) => (/^\d+$/.test(value) && Number(value) >= least && Number(value) <= most ? Number(value) : undefined),
    (value) => wrong('max_results', value, `is not between ${least} and ${most}`),
  ) ?? otherwise

export function idParam(request: LabRequest, name: string): string | undefined {
  const value = first(request.query, name)
  return value === undefined ? undefined : checkedId(name, value)
}

export function checkedId(name: string, value: string): string {
  if (/^\d{1,19}$/.test(value)) return value
  throw wrong(name, value, 'is not valid')
}

export const idList = (request: LabRequest): string[] =>
  (first(request.query, 'ids') ?? '').split(',').map((id) => checkedId('ids', id))

export const timeParam = (request: LabRequest, name: string): number | undefined =>
  readParam(request, name, matching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/, Date.parse), (value) =>
    wrong(name, value, 'is not a valid RFC3339 date-time'),
  )

/** A comma-separated list of values from a fixed set. */
export function listParam(request: LabRequest, name: string, allowed: readonly string[]): string[] {
  const value = first(request.query, name)
  const names = value?.split(',') ?? []
  const unknown = names.find((one) => !allowed.includes(one))
  if (unknown !== undefined) throw wrong(name, value ?? '', `is not one of [${allowed.join(',')}]`, unknown)
  return names
}
