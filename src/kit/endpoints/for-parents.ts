import type { ParentContext } from './children.ts'
import type { Endpoint } from './endpoint.ts'
import type { PageRequest } from './pages.ts'

/** A parent: its id at the service, and its record. */
interface ParentRecord {
  nativeId: string
  record: unknown
}

/** The endpoint as it is read for these parents: its requests name them, and its readers get their records. */
export function forParents(endpoint: Endpoint, parents: readonly ParentRecord[]): Endpoint {
  const items = parents.map(({ nativeId, record }) => ({ id: nativeId, record }))
  const [parent] = items
  if (parent === undefined) throw new RangeError('a visit without parents')
  const from: ParentContext = { parent, parents: items }
  const { batch } = endpoint.children!
  const separator = batch?.separator ?? ','
  const ids = items.map(({ id }) => id)
  return {
    ...endpoint,
    items: (body) => endpoint.items(body, from),
    // Here and not at once: an id that cannot be in an address fails the visit of its parent alone.
    prepare: (plain, context) => {
      const path = plain.path.replaceAll('{parent}', () => ids.map(encodeSegment).join(separator))
      const query = fillQuery(plain.query, ids.join(separator))
      const request = withBatch({ ...plain, path, query }, endpoint, ids)
      return endpoint.prepare?.(request, { ...context, from }) ?? request
    },
  }
}

/** `.` and `..` would lead to another address, whatever the encoding. */
function encodeSegment(id: string): string {
  if (/^\.{1,2}$/.test(id)) throw new RangeError('the id of a parent is not a part of an address')
  return encodeURIComponent(id)
}

function fillQuery(query: Record<string, string>, ids: string): Record<string, string> {
  return Object.fromEntries(Object.entries(query).map(([name, text]) => [name, text.replaceAll('{parent}', () => ids)]))
}

function withBatch(request: PageRequest, { children }: Endpoint, ids: string[]): PageRequest {
  const { param, body, separator = ',' } = children?.batch ?? {}
  return {
    ...request,
    ...(param === undefined ? {} : { query: { ...request.query, [param]: ids.join(separator) } }),
    ...(body === undefined
      ? {}
      : {
          body: JSON.stringify(body(ids)),
          headers: { 'content-type': 'application/json', ...request.headers },
        }),
  }
}
