import type { FastifyReply } from 'fastify'
import { ApiError, type Reason } from '#model/errors.ts'
import type { HttpDeps } from './deps.ts'
import { type AccountDefinition, type Route, route, type Shape } from './route.ts'

/** From this day on the data endpoints count as deprecated in favour of push, wherever an operator sets an end to them. */
const DEPRECATED_AT_MS = Date.UTC(2026, 10, 1)
// Scripts of other pages see only the headers named here.
const EXPOSED = 'Link, ETag, Deprecation, Sunset, Retry-After, X-Request-Id'

/** A route that reads items for the holder of an access token. An operator may set a day after which it is gone. */
export function dataRoute<Path extends Shape = undefined, Query extends Shape = undefined>(
  definition: AccountDefinition<Path, Query, undefined>,
): Route {
  const reasons: Reason[] = [...(definition.reasons ?? []), 'endpoint_retired']
  return definition.usesCachedAccount
    ? route({ ...definition, auth: 'account', reasons, run: announcing(definition.run) })
    : route({ ...definition, auth: 'account', reasons, run: announcing(definition.run) })
}

function announcing<Call extends { reply: FastifyReply }>(run: (deps: HttpDeps, call: Call) => Promise<unknown>) {
  return async (deps: HttpDeps, call: Call) => {
    void call.reply.header('access-control-expose-headers', EXPOSED)
    announceSunset(deps, call.reply)
    return run(deps, call)
  }
}

/** RFC 9745 and RFC 8594, with the way to what comes instead. */
function announceSunset({ config: { sunsetMs, baseUrl }, clock }: HttpDeps, reply: FastifyReply): void {
  if (sunsetMs === undefined) return
  const push = `${baseUrl}/docs#push`
  const deprecatedAtS = Math.floor(Math.min(DEPRECATED_AT_MS, sunsetMs) / 1000)
  void reply.headers({
    deprecation: `@${deprecatedAtS}`,
    sunset: new Date(sunsetMs).toUTCString(),
    link: `<${push}>; rel="deprecation"; type="text/html", <${push}>; rel="sunset"; type="text/html"`,
  })
  if (clock.now() >= sunsetMs) throw new ApiError('endpoint_retired', undefined, { see: push })
}

/** One more link beside those the answer has already. */
export function addLink(reply: FastifyReply, link: string): void {
  const known = reply.getHeader('link')
  void reply.header('link', known === undefined ? link : `${String(known)}, ${link}`)
}
