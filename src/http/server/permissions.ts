import { mayUseApp, type Operator, requireRecentSignIn } from '#model/apps/operator.ts'
import { ApiError } from '#model/errors.ts'
import type { Clock } from '#platform/clock.ts'
import type { HttpRequest } from '../exchange/request.ts'
import type { MountedRoute, Route } from './route.ts'

const OF_ONE_APP = /^\/admin\/apps\/:client_id(?:\/|$)/

/**
 * Who may call a route of operators: a developer those below `/admin/apps/:client_id` with one of their apps, unless the route
 * excludes them, and those that limit what they show by the caller. Everything else is for operators, new routes too.
 */
export function developersOf(path: string, route: Route | MountedRoute): 'of the app' | 'all' | 'none' {
  if (route.developers !== undefined) return route.developers
  return OF_ONE_APP.test(path) ? 'of the app' : 'none'
}

/** Refuses what the role of the operator does not allow. An app of others looks like one that does not exist. */
export function requirePermission(operator: Operator, path: string, route: Route, request: HttpRequest): void {
  if (operator.role === 'operator') return
  const who = developersOf(path, route)
  if (who === 'all') return
  const { client_id: appId } = request.params as { client_id?: string }
  if (appId !== undefined && !mayUseApp(operator, appId)) throw new ApiError('not_found')
  if (who === 'none' || appId === undefined) throw new ApiError('role_refused')
}

/** Refuses fields of a body that the role of the operator may not set. */
export function requireFields(operator: Operator, { operatorOnly = {} }: Route, body: unknown): void {
  if (operator.role === 'operator') return
  for (const [field, why] of Object.entries(operatorOnly))
    if ((body as Record<string, unknown>)[field] !== undefined)
      throw new ApiError(
        'role_refused',
        `Only an operator may set ${field}: ${why} Leave it out, then it stays as it is, or ask an operator of this installation.`,
        { param: field },
      )
}

/** Refuses a dangerous action when the password or passkey was given too long ago. */
export function requireConfirmed(operator: Operator | undefined, route: Route, clock: Clock): void {
  if (operator !== undefined && route.dangerous === true) requireRecentSignIn(operator, clock.now())
}
