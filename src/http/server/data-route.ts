import { ApiError, type Reason } from '#model/errors.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpDeps } from './deps.ts'
import { type AccountDefinition, type Route, route, type Shape } from './route.ts'

/** The deprecation date of data routes, in favour of push, at installations whose operator sets a sunset. */
const DEPRECATED_AT_MS = Date.UTC(2026, 10, 1)

/** Defines a route that reads items with an access token. An operator may set a sunset, after which it responds 410. */
export function dataRoute<Path extends Shape = undefined, Query extends Shape = undefined>(
  definition: AccountDefinition<Path, Query, undefined>,
): Route {
  const reasons: Reason[] = [...(definition.reasons ?? []), 'endpoint_retired']
  return definition.usesCachedAccount
    ? route({ ...definition, auth: 'account', reasons, run: announcing(definition.run) })
    : route({ ...definition, auth: 'account', reasons, run: announcing(definition.run) })
}

function announcing<Call extends { reply: HttpReply }>(run: (deps: HttpDeps, call: Call) => Promise<unknown>) {
  return async (deps: HttpDeps, call: Call) => {
    announceSunset(deps, call.reply)
    return run(deps, call)
  }
}

/** Adds the headers of RFC 9745 and RFC 8594, with a link to push as the replacement. */
function announceSunset({ config: { sunsetMs, baseUrl }, clock }: HttpDeps, reply: HttpReply): void {
  if (sunsetMs === undefined) return
  const push = `${baseUrl}/docs#push`
  const deprecatedAtS = Math.floor(Math.min(DEPRECATED_AT_MS, sunsetMs) / 1000)
  reply.headers({
    deprecation: `@${deprecatedAtS}`,
    sunset: new Date(sunsetMs).toUTCString(),
    link: `<${push}>; rel="deprecation"; type="text/html", <${push}>; rel="sunset"; type="text/html"`,
  })
  if (clock.now() >= sunsetMs) throw new ApiError('endpoint_retired', undefined, { see: push })
}

/** Appends a link to the `Link` header. */
export function addLink(reply: HttpReply, link: string): void {
  const known = reply.getHeader('link')
  reply.header('link', known === undefined ? link : `${String(known)}, ${link}`)
}
