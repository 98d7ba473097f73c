/** Methods with which records can be read. */
export type ReadMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'PROPFIND' | 'REPORT' | 'SEARCH' | 'QUERY'

/** How a response is read: see `xml.ts` for elements; the first row of CSV names the fields of the others. `xml_or_json` is XML
 * where the response begins like it. */
export type BodyFormat = 'json' | 'xml' | 'csv' | 'xml_or_json'

/** One call to a service, before it is signed. */
export interface PageRequest {
  method: ReadMethod
  /** Relative to `api.baseUrl`, or a full address at one of the service's hosts. */
  path: string
  query: Record<string, string>
  body?: string
  headers?: Record<string, string>
  /** Another origin of the service, of `api.hosts`. Default: that of `api.baseUrl`. */
  host?: string
  /** Default: `json`. */
  parse?: BodyFormat
  /** What `pages.next` needs later. It is stored with the position of a walk, and not sent. */
  carry?: unknown
}

/** One response, with the request it belongs to. */
export interface Page {
  request: PageRequest
  body: unknown
  /** By lower-case name. */
  headers: Record<string, string>
  /** Number of records in it. */
  count: number
  /** The address that responded, after redirects and without credentials: the base of relative links. */
  url?: string | undefined
}

/**
 * How to walk over the pages of an endpoint. Choose one of `onePage`, `linkPages`, `cursorPages`, `offsetPages` and `numberPages`.
 * Both functions are pure. A request that repeats within one walk ends it with an error, so it cannot loop.
 */
export interface Pages {
  /** Returns the request of the first page. */
  first: (request: PageRequest) => PageRequest
  /** Returns the request of the page after this one; undefined after the last. */
  next: (page: Page) => PageRequest | undefined
  /** How many records a page has, where that can be changed during a walk. */
  size?: PageSize | undefined
}

export interface PageSize {
  /** Records per page, unless the service refuses that many. */
  value: number
  /** Returns the request for a page of another size that begins with the same record. */
  set: (request: PageRequest, value: number) => PageRequest
}

/** The parameter that says how many records a page has, and how many it asks for. */
export interface SizeParameter {
  param: string
  value: number
}

type Reader<Value> = (body: never) => Value | null | undefined

/** For a service that returns everything in one response. The default of an endpoint. */
export function onePage(): Pages {
  return { first: (request) => request, next: () => undefined }
}

/**
 * For a service that returns the address of the next page: in the `Link` header (RFC 8288), or in the body if `from` reads it
 * there. `drop` names parameters to remove from that address because every call adds them itself: a token in it may be stale.
 */
export function linkPages(
  options: { from?: Reader<string>; query?: Record<string, string>; drop?: string[]; size?: SizeParameter } = {},
): Pages {
  return {
    size: sizeOf(options.size),
    first: (request) => withSize({ ...request, query: { ...options.query, ...request.query } }, options.size),
    next: ({ request, body, headers, url }) => {
      const link = options.from ? options.from(body as never) : linkNext(headers['link'])
      if (!link) return undefined
      const address = url === undefined ? link : new URL(link, url).href
      return { ...request, path: without(address, options.drop ?? []), query: {} }
    },
  }
}

/**
 * For a service that returns a cursor to send with the next request. The walk ends when the cursor is missing, not at an empty
 * page.
 *
 *     pages: cursorPages({ param: 'after', from: (body: Body) => body.paging?.next, size: { param: 'limit', value: 100 } })
 */
export function cursorPages(options: {
  param: string
  from: Reader<string | number | bigint>
  size?: SizeParameter
}): Pages {
  return {
    size: sizeOf(options.size),
    first: (request) => withSize(request, options.size),
    next: ({ request, body }) => {
      const cursor = options.from(body as never)
      if (cursor === null || cursor === undefined || cursor === '') return undefined
      return { ...request, query: { ...request.query, [options.param]: String(cursor) } }
    },
  }
}

/**
 * For a service whose pages start at a record offset. The walk ends at an empty page: a short one may only mean that the service
 * filtered some records. `maxOffset` is the greatest offset that the service accepts.
 */
export function offsetPages(options: { param: string; size: SizeParameter; maxOffset?: number }): Pages {
  return {
    size: sizeOf(options.size),
    first: (request) => withSize({ ...request, query: { ...request.query, [options.param]: '0' } }, options.size),
    next: ({ request, count }) => {
      const size = Number(request.query[options.size.param] ?? options.size.value)
      const offset = Number(request.query[options.param]) + size
      if (count === 0 || (options.maxOffset !== undefined && offset > options.maxOffset)) return undefined
      return { ...request, query: { ...request.query, [options.param]: String(offset) } }
    },
  }
}

/** For a service with numbered pages, from `start` (1) to at most `maxPage`. The walk ends at an empty page. */
export function numberPages(options: { param: string; start?: number; size?: SizeParameter; maxPage?: number }): Pages {
  const start = options.start ?? 1
  return {
    size: numberedSizeOf(options.param, start, options.size),
    first: (request) =>
      withSize({ ...request, query: { ...request.query, [options.param]: String(start) } }, options.size),
    next: ({ request, count }) => {
      const number = Number(request.query[options.param]) + 1
      if (count === 0 || (options.maxPage !== undefined && number > options.maxPage)) return undefined
      return { ...request, query: { ...request.query, [options.param]: String(number) } }
    },
  }
}

function withSize(request: PageRequest, size: SizeParameter | undefined): PageRequest {
  return size === undefined ? request : { ...request, query: { [size.param]: String(size.value), ...request.query } }
}

/** The size of pages whose position does not depend on it. */
function sizeOf(size: SizeParameter | undefined): PageSize | undefined {
  return size && { value: size.value, set: (request, value) => withParameter(request, size.param, String(value)) }
}

/** The position of a numbered page depends on the size: the number of the page that has the same first record, or an earlier one. */
function numberedSizeOf(param: string, start: number, size: SizeParameter | undefined): PageSize | undefined {
  if (size === undefined) return undefined
  return {
    value: size.value,
    set: (request, value) => {
      const before = Number(request.query[size.param] ?? size.value)
      const firstRecord = (Number(request.query[param]) - start) * before
      const query = { [size.param]: String(value), [param]: String(start + Math.floor(firstRecord / value)) }
      return { ...request, query: { ...request.query, ...query } }
    },
  }
}

/** A full address carries the parameter itself. */
function withParameter(request: PageRequest, name: string, value: string): PageRequest {
  const url = name in request.query ? null : URL.parse(request.path)
  if (url === null) return { ...request, query: { ...request.query, [name]: value } }
  url.searchParams.set(name, value)
  return { ...request, path: url.href }
}

function without(address: string, names: string[]): string {
  const url = names.length === 0 ? null : URL.parse(address)
  if (url === null) return address
  for (const name of names) url.searchParams.delete(name)
  return url.href
}

/** Returns the address with the relation `next` in a `Link` header (RFC 8288). */
function linkNext(header: string | undefined): string | undefined {
  return linksOf(header ?? '').find(({ relations }) => relations.includes('next'))?.address
}

/** Parses a `Link` header; malformed links are left out. */
export function linksOf(header: string): { text: string; address: string; relations: string[] }[] {
  return header.split(/,(?=\s*<)/).flatMap((text) => {
    const [, address, parameters = ''] = /^\s*<([^>]*)>(.*)$/s.exec(text) ?? []
    return address === undefined ? [] : [{ text, address, relations: relationsOf(parameters) }]
  })
}

function relationsOf(parameters: string): string[] {
  // Parsers disagree about an unclosed quote, so such a link has no relation.
  if (parameters.split('"').length % 2 === 0) return []
  const found = [...parameters.matchAll(/;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/gi)]
  return found.flatMap(([, quoted, bare]) => (quoted ?? bare ?? '').toLowerCase().split(/\s+/))
}
