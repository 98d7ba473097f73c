import { z } from 'zod'
import { ApiError, invalidInput } from '#model/errors.ts'
import { parse } from '#model/input/input.ts'
import type { HttpReply } from './exchange/reply.ts'
import type { HttpRequest } from './exchange/request.ts'
import { withoutEmpty } from './request/parameters.ts'
import { queryOf } from './request/query-pairs.ts'
import type { Call, Route } from './server/route.ts'
import { refuseMisspelt, refuseUnknown } from './unknown-names.ts'

/** Validates path, query and body of a request by the schemas of its route. */
export function checkRequest(route: Route, request: HttpRequest, reply: HttpReply): Call {
  return {
    path: route.path === undefined ? {} : parse(route.path, request.params, 'bad_parameter'),
    query: checkQuery(route, queryOf(request)),
    body: route.body === undefined ? {} : checkBody(route, route.body, request),
    request,
    reply,
  }
}

function checkQuery(route: Route, given: Record<string, unknown>): Record<string, unknown> {
  refuseUnknown(route, given)
  if (route.query === undefined) return {}
  if (route.emptyIsAbsent === true) return parse(route.query, withoutEmpty(given), 'bad_parameter')
  for (const name in given)
    if (given[name] === '' && Object.hasOwn(route.query.shape, name))
      throw invalidInput('bad_parameter', name, 'is empty.')
  return parse(route.query, given, 'bad_parameter')
}

function checkBody(route: Route, schema: z.ZodType, { body = {}, headers }: HttpRequest): unknown {
  const isForm = (headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded')
  const given = route.emptyIsAbsent === true ? withoutEmpty(body) : body
  refuseMisspelt(route, given)
  return parse(schema, given, 'bad_body', isForm ? 'pairs' : 'json')
}

/**
 * Flows validate values without knowing where a request had them. The reason of their error says where: `bad_body` for a field
 * of the body, `bad_parameter` for a parameter of path or query.
 */
export function placeError(route: Route, error: unknown): unknown {
  if (!(error instanceof ApiError) || error.param === undefined) return error
  const [name = ''] = error.param.split('.')
  const isInBody = route.body instanceof z.ZodObject && Object.hasOwn(route.body.shape, name)
  const isInQuery = [route.path, route.query].some(
    (schema) => schema !== undefined && Object.hasOwn(schema.shape, name),
  )
  const reason = isInBody ? 'bad_body' : 'bad_parameter'
  const isMisplaced = (isInBody || isInQuery) && error.reason === (isInBody ? 'bad_parameter' : 'bad_body')
  return isMisplaced ? new ApiError(reason, error.message, { param: error.param, cause: error }) : error
}
