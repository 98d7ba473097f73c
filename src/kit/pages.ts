/** One call to a service, before it is signed. */
export interface PageRequest {
  method: 'GET' | 'POST'
  /** Below the API address, or a whole address on the service's own hosts. */
  path: string
  query: Record<string, string>
  body?: string
  headers?: Record<string, string>
}

export interface Page {
  request: PageRequest
  body: unknown
  /** Lower-case names. */
  headers: Record<string, string>
  /** How many records were in it. */
  count: number
}

/** A walk over pages: two pure functions. A request that comes twice in one run is an error, not a loop. */
export interface Pages {
  first: (request: PageRequest) => PageRequest
  next: (page: Page) => PageRequest | undefined
}

type Reader<Value> = (body: never) => Value | null | undefined

/** Everything in one answer. */
export function onePage(): Pages {
  return { first: (request) => request, next: () => undefined }
}

/**
 * The service names the next address: in the `Link` header, or in the body where `from` reads it. `drop` names parameters
 * that the service writes into that address and that every call gets anew, such as the token: a later one must not be old.
 */
export function linkPages(
  options: { from?: Reader<string>; query?: Record<string, string>; drop?: string[] } = {},
): Pages {
  return {
    first: (request) => ({ ...request, query: { ...options.query, ...request.query } }),
    next: ({ request, body, headers }) => {
      const address = options.from ? options.from(body as never) : linkNext(headers['link'])
      return address ? { ...request, path: without(address, options.drop ?? []), query: {} } : undefined
    },
  }
}

/** The answer holds a cursor. An empty page with a cursor is not the end; only a missing cursor is. */
export function cursorPages(options: {
  param: string
  from: Reader<string | number | bigint>
  size?: { param: string; value: number }
}): Pages {
  return {
    first: (request) => withSize(request, options.size),
    next: ({ request, body }) => {
      const cursor = options.from(body as never)
      if (cursor === null || cursor === undefined || cursor === '') return undefined
      return { ...request, query: { ...request.query, [options.param]: String(cursor) } }
    },
  }
}

/** Counts records. Ends on an empty page: a short one may only mean that some were filtered out. */
export function offsetPages(options: { param: string; size: { param: string; value: number }; most?: number }): Pages {
  return {
    first: (request) => withSize({ ...request, query: { ...request.query, [options.param]: '0' } }, options.size),
    next: ({ request, count }) => {
      const offset = Number(request.query[options.param]) + options.size.value
      if (count === 0 || (options.most !== undefined && offset > options.most)) return undefined
      return { ...request, query: { ...request.query, [options.param]: String(offset) } }
    },
  }
}

/** Counts pages. Ends on an empty page. */
export function numberPages(options: {
  param: string
  start?: number
  size?: { param: string; value: number }
  most?: number
}): Pages {
  const start = options.start ?? 1
  return {
    first: (request) =>
      withSize({ ...request, query: { ...request.query, [options.param]: String(start) } }, options.size),
    next: ({ request, count }) => {
      const number = Number(request.query[options.param]) + 1
      if (count === 0 || (options.most !== undefined && number > options.most)) return undefined
      return { ...request, query: { ...request.query, [options.param]: String(number) } }
    },
  }
}

function withSize(request: PageRequest, size: { param: string; value: number } | undefined): PageRequest {
  return size === undefined ? request : { ...request, query: { [size.param]: String(size.value), ...request.query } }
}

function without(address: string, names: string[]): string {
  const url = names.length === 0 ? null : URL.parse(address)
  if (url === null) return address
  for (const name of names) url.searchParams.delete(name)
  return url.href
}

/** The address that a `Link` header calls next (RFC 8288). */
function linkNext(header: string | undefined): string | undefined {
  return linksOf(header ?? '').find(({ relations }) => relations.includes('next'))?.address
}

/** The links of a `Link` header; what is none is left out. */
export function linksOf(header: string): { text: string; address: string; relations: string[] }[] {
  return header.split(/,(?=\s*<)/).flatMap((text) => {
    const [, address, parameters = ''] = /^\s*<([^>]*)>(.*)$/s.exec(text) ?? []
    return address === undefined ? [] : [{ text, address, relations: relationsOf(parameters) }]
  })
}

function relationsOf(parameters: string): string[] {
  // A quote that is not closed may mean anything to whoever reads it.
  if (parameters.split('"').length % 2 === 0) return []
  const found = [...parameters.matchAll(/;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/gi)]
  return found.flatMap(([, quoted, bare]) => (quoted ?? bare ?? '').toLowerCase().split(/\s+/))
}
