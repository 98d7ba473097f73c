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
  const { find, groups } = compiledCosts(connector)
  const same = find(method, path)
  const group = same?.group ?? connector.api.group?.(path)
  return {
    weight: same?.weight ?? 1,
    group: group !== undefined && groups.has(group) ? group : undefined,
    isRead: isRead(method),
  }
}

interface Costs {
  groupOf: Connector['api']['group']
  groups: ReadonlySet<string>
  find: (method: string, path: string) => Endpoint | undefined
}

/** By the endpoints, which the connectors of all instances share. Every proxied call asks, and there are dozens of endpoints. */
const costs = new WeakMap<Connector['endpoints'], Costs>()

function compiledCosts(connector: Connector): Costs {
  const known = costs.get(connector.endpoints)
  if (known !== undefined && known.groupOf === connector.api.group) return known
  const compiled = compileCosts(connector)
  costs.set(connector.endpoints, compiled)
  return compiled
}

function compileCosts(connector: Connector): Costs {
  const endpoints = Object.values(connector.endpoints)
  const groups = endpoints.map((each) => costOfEndpoint(connector, each).group).filter((group) => group !== undefined)
  const exact = new Map<string, number>()
  const templates: { at: number; method: string; parts: string[] }[] = []
  for (const [at, { method, path }] of endpoints.entries()) {
    const key = `${method} ${path}`
    if (path.includes('{')) templates.push({ at, method, parts: path.split('/') })
    else if (!exact.has(key)) exact.set(key, at)
  }
  return {
    groupOf: connector.api.group,
    groups: new Set(groups),
    find: (method, path) => {
      // The first endpoint counts, whether its path is exact or a template.
      let found = exact.get(`${method} ${path}`) ?? endpoints.length
      if (templates.length > 0) {
        const parts = path.split('/')
        const first = templates.find((each) => each.method === method && isSamePath(each.parts, parts))
        found = Math.min(found, first?.at ?? found)
      }
      return endpoints[found]
    },
  }
}

/** A part such as `{id}` is equal to any. */
function isSamePath(template: readonly string[], parts: readonly string[]): boolean {
  return template.length === parts.length && template.every((part, i) => part.includes('{') || part === parts[i])
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}
