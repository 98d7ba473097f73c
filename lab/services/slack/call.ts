import { first } from '../../base/pairs.ts'
import { json, Refusal } from '../../base/reply.ts'
import { formOf, jsonOf, type LabRequest, mediaType } from '../../base/request.ts'
import type { Caller } from '../../oauth2/bearer.ts'
import type { Tier } from './limits.ts'

export type Params = (name: string) => string | undefined

/** What a method does: its tier of limits, and its answer. */
export type Method = readonly [tier: Tier, act: (caller: Caller, params: Params) => object]

/** Errors have status 200. */
export const refusal = (error: string, more: object = {}): Refusal =>
  new Refusal(json(200, { ok: false, error, ...more }))

export function requireScope(scopes: readonly string[], needed: string): void {
  if (!scopes.includes(needed)) throw refusal('missing_scope', { needed, provided: scopes.join(',') })
}

/** Parameters of the query, of a form, or of JSON, whose lists are text as they are in a form. */
export function paramsOf(request: LabRequest): Params {
  const isJson = mediaType(request) === 'application/json'
  const fields = Object.entries(isJson ? jsonOf(request) : {})
  const pairs = fields.map(
    ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  )
  return (name) => first(request.query, name) ?? first(formOf(request), name) ?? first(pairs, name)
}
