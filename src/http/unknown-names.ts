import { z } from 'zod'
import { ApiError } from '#model/errors.ts'
import { nearestName } from '#model/input/nearest-name.ts'
import type { Route } from './server/route.ts'

/** Common parameters of the specification: a path that has no use for them ignores them. */
const COMMON = ['limit', 'since', 'until', 'q', 'participants', 'near', 'within', 'map', 'fields', 'access_token']
/** Limit: characters of an unknown name that an error repeats. */
const MAX_REPEATED = 60

/** The parameters that a route accepts, by route: collected once. */
const accepted = new WeakMap<Route, ReadonlySet<string>>()

function acceptedBy(route: Route): ReadonlySet<string> {
  let names = accepted.get(route)
  if (names === undefined) {
    names = new Set([...Object.keys(route.query?.shape ?? {}), ...COMMON])
    accepted.set(route, names)
  }
  return names
}

/** RFC 6749 3.1 and 3.2 require OAuth endpoints to ignore unknown parameters, and links to pages get some on their way. */
function ignoresUnknown({ ignoresUnknown: given, emptyIsAbsent, auth }: Route): boolean {
  return given ?? (emptyIsAbsent === true || auth === 'browser')
}

/** Refuses the first parameter of a query that the route does not know: a misspelt filter must not be ignored. */
export function refuseUnknown(route: Route, query: Record<string, unknown>): void {
  const names = acceptedBy(route)
  for (const name in query) if (!names.has(name) && !ignoresUnknown(route)) throw unknownParameter(route, name, names)
}

function unknownParameter(route: Route, name: string, names: ReadonlySet<string>): ApiError {
  const own = Object.keys(route.query?.shape ?? {})
  const list = own.length === 0 ? 'This address takes none.' : `This address takes ${own.join(', ')}.`
  return unknownName('parameter', name, nearestName(name, names), list)
}

/**
 * Refuses a field of a body that is probably a misspelt one. Other unknown fields are ignored, so that what a GET returned can be
 * changed and sent back.
 */
export function refuseMisspelt(route: Route, body: unknown): void {
  if (ignoresUnknown(route) || !(route.body instanceof z.ZodObject) || isLoose(route.body)) return
  if (body === null || typeof body !== 'object') return
  const { shape } = route.body
  for (const name in body) {
    if (Object.hasOwn(shape, name)) continue
    const nearest = nearestName(name, Object.keys(shape))
    if (nearest !== undefined) throw unknownName('field', name, nearest, '')
  }
}

function isLoose({ def }: z.ZodObject): boolean {
  return def.catchall !== undefined && !(def.catchall instanceof z.ZodNever)
}

function unknownName(
  what: 'parameter' | 'field',
  name: string,
  nearest: string | undefined,
  otherwise: string,
): ApiError {
  const repeated = name.slice(0, MAX_REPEATED)
  const hint = nearest === undefined ? otherwise : `Did you mean “${nearest}”?`
  return new ApiError('parameter_unknown', `Unknown ${what} “${repeated}”. ${hint}`, { param: repeated })
}
