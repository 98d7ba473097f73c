import { ApiError } from '#model/errors.ts'
import { isLoopbackAddress } from '#platform/formats/loopback.ts'
import type { HttpRequest } from '../exchange/request.ts'
import type { HttpDeps } from '../server/deps.ts'

/**
 * Whether others can reach the demo: it listens on more than loopback, or this request came from another machine. Decided by the
 * sockets, because anybody can write any name into `Host`.
 */
export function isExposed({ config }: Pick<HttpDeps, 'config'>, { socket }: Pick<HttpRequest, 'socket'>): boolean {
  return ![config.host, socket.localAddress ?? '', socket.remoteAddress ?? ''].every(isLoopbackAddress)
}

/** The controls change the demo for everybody, so they are for the one at this machine. */
export function requireUnexposed(deps: Pick<HttpDeps, 'config'>, request: HttpRequest): void {
  if (isExposed(deps, request)) throw new ApiError('demo_exposed')
}
