import type { Endpoint } from '../endpoints/endpoint.ts'
import type { Connector } from './connector.ts'

/** What a call counts as in the limits of a service. */
export interface CallCost {
  weight: number
  /** The group of endpoints that the service limits together. */
  group: string | undefined
  /** It only reads. */
  isRead: boolean
}

export const PLAIN_CALL: CallCost = { weight: 1, group: undefined, isRead: true }

/** The cost of a call of a sync. */
export function costOfEndpoint({ api }: Connector, { weight, group, path, method }: Endpoint): CallCost {
  return { weight, group: group ?? api.group?.(path), isRead: isRead(method) }
}

/**
 * The cost of any other call: that of the endpoint at the same path, if there is one. Only groups of endpoints count, so that a
 * caller cannot invent some.
 */
export function costOfPath(connector: Connector, method: string, path: string): CallCost {
  const endpoints = Object.values(connector.endpoints)
  const same = endpoints.find((each) => each.method === method && isSamePath(each.path, path))
  const group = same?.group ?? connector.api.group?.(path)
  const isKnown = group !== undefined && endpoints.some((each) => costOfEndpoint(connector, each).group === group)
  return { weight: same?.weight ?? 1, group: isKnown ? group : undefined, isRead: isRead(method) }
}

/** A part such as `{id}` is equal to any. */
function isSamePath(template: string, path: string): boolean {
  const [parts, others] = [template.split('/'), path.split('/')]
  return parts.length === others.length && parts.every((part, i) => part.includes('{') || part === others[i])
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}
