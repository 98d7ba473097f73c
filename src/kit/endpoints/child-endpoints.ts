import type { Endpoint } from './endpoint.ts'

/** Limit: parents that one request of a batch may name; a connector with a larger batch is refused. */
const MAX_BATCH = 500

type Endpoints = Record<string, Endpoint>

/** Explains why the child endpoints of a connector cannot be read; undefined when they can. */
export function childrenFault(endpoints: Endpoints): string | undefined {
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const fault =
      endpoint.children === undefined ? rootFault(endpoints, endpoint) : childFault(endpoints, name, endpoint)
    if (fault !== undefined) return `endpoint \`${name}\`: ${fault}`
  }
  return undefined
}

function rootFault(endpoints: Endpoints, endpoint: Endpoint): string | undefined {
  const from = endpoint.computed?.from
  if (from !== undefined && (!Object.hasOwn(endpoints, from) || endpoints[from]?.computed !== undefined))
    return `\`from\` names \`${from}\`, which is not an endpoint that is read from the service`
  return usesPlaceholder(endpoint) ? '`{parent}` needs `each`, the endpoint whose items are the parents' : undefined
}

function childFault(endpoints: Endpoints, name: string, endpoint: Endpoint): string | undefined {
  const { each, batch, version, allEveryMs, when } = endpoint.children!
  if (each === 'self') return '`each` names `self`, which has no items; use `{id}` for the person’s id'
  if (!Object.hasOwn(endpoints, each))
    return `\`each\` names \`${each}\`, which is not an endpoint. Endpoints: ${Object.keys(endpoints).join(', ')}`
  const cycle = cycleFrom(endpoints, name)
  if (cycle !== undefined) return `its parents form a cycle: ${cycle.join(' → ')}`
  if (when === 'always' && (version !== undefined || allEveryMs !== undefined))
    return '`version` and `allEvery` need `when: ’changed’`'
  if (endpoint.wholeEveryMs !== undefined) return 'use `allEvery` instead of `wholeEvery`'
  if (batch === undefined)
    return usesPlaceholder(endpoint) || endpoint.prepare !== undefined
      ? undefined
      : 'its requests are the same for every parent: use `{parent}` in `path` or `query`, or `prepare`'
  if (!Number.isInteger(batch.size) || batch.size < 1 || batch.size > MAX_BATCH)
    return `\`batch.size\` must be a whole number from 1 to ${MAX_BATCH}`
  if (endpoint.checkpoint !== undefined) return 'a batch has no watermark for each parent: remove `checkpoint`'
  if (batch.param === undefined && batch.body === undefined && !usesPlaceholder(endpoint))
    return '`batch` needs `param`, `body` or `{parent}`, so that the request names the parents'
  return undefined
}

function usesPlaceholder({ path, query }: Endpoint): boolean {
  return [path, ...Object.values(query)].some((text) => text.includes('{parent}'))
}

function cycleFrom(endpoints: Endpoints, name: string): string[] | undefined {
  const path = [name]
  for (let at = endpoints[name]?.children?.each; at !== undefined; at = endpoints[at]?.children?.each) {
    if (path.includes(at)) return [...path, at]
    path.push(at)
  }
  return undefined
}

/** Names of the endpoints that are read for each item of this one. */
export function childrenOf(endpoints: Endpoints, parent: string): string[] {
  return Object.keys(endpoints).filter((name) => endpoints[name]?.children?.each === parent)
}

/** Names of the endpoints that are computed from the items of this one. */
export function computedFrom(endpoints: Endpoints, name: string): string[] {
  return Object.keys(endpoints).filter((other) => endpoints[other]?.computed?.from === name)
}

/** The endpoint that this one needs the items of. */
export const needsItemsOf = ({ children, computed }: Endpoint): string | undefined => children?.each ?? computed?.from

/** How many endpoints are above this one; undefined parents end the count. */
export function depthOf(endpoints: Endpoints, name: string): number {
  let depth = 0
  const seen = new Set<string>([name])
  const above = (at: string) => {
    const endpoint = endpoints[at]
    return endpoint && needsItemsOf(endpoint)
  }
  for (let at = above(name); at !== undefined && !seen.has(at); at = above(at)) {
    seen.add(at)
    depth += 1
  }
  return depth
}
