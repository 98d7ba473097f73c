import type { Api, Connector } from '#kit/connector/connector.ts'
import { hostOfPath } from '#kit/connector/service-hosts.ts'
import { ApiError } from '#model/errors.ts'
import { apiRootOf } from './api-root.ts'
import { isFullAddress } from './full-address.ts'

/**
 * A call at the origin of a service, as one below `/proxy`. The origin stands for the vendor's host, because SDKs write whole paths
 * of it: of `/v1/me` at `https://api.example/v1`, the API is called with `/me`. A path below the API of an instance counts too.
 */
export function calledAtOrigin<Call extends { path: string; proxyUrl: string }>(
  call: Call,
  { api }: Connector,
  apiUrl: string | undefined,
): Call {
  const root = apiRootOf(api.baseUrl)
  const path = isFullAddress(call.path) ? call.path : belowApi(api, call.path, root, apiUrl && apiRootOf(apiUrl))
  return { ...call, path, proxyUrl: call.proxyUrl + root }
}

/** The longer one of two paths is the more exact one. A path that belongs to another host of the service becomes its whole address. */
function belowApi(api: Api, path: string, root: string, ownRoot: string = root): string {
  const roots = ownRoot.length > root.length ? [ownRoot, root] : [root, ownRoot]
  const found = roots.find((each) => path === each || path.startsWith(`${each}/`))
  if (found !== undefined) return path.slice(found.length)
  const host = hostOfPath(api, path)
  if (host !== undefined) return `/${host}${path}`
  throw new ApiError('bad_request', `The path must begin with ${root}/, as at the service itself.`)
}
