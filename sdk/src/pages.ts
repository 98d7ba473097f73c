import { type Core, call, type Input, type Operation, parsedBody, queryText, send } from './core.ts'
import { StreamError } from './errors.ts'

export interface Page<T> {
  items: T[]
  /** With `count: true`: how many there are on all pages. */
  total?: number
  /** The query of the next page; missing on the last one. Can be stored, and given to the same method later. */
  next?: Record<string, string>
}

/** A list of any length: iterate it, or read it a page at a time. `limit` is the size of a page. */
export interface Paged<T> extends AsyncIterable<T> {
  pages(): AsyncIterable<Page<T>>
  /** The first page. */
  first(): Promise<Page<T>>
  /** At most `max` elements. */
  take(max: number): Promise<T[]>
}

/** Makes a list of a function that loads the page of a query. */
function pagedBy<T>(query: object | undefined, load: (query: object | undefined) => Promise<Page<T>>): Paged<T> {
  async function* pages(): AsyncGenerator<Page<T>> {
    let current: object | undefined = query
    for (;;) {
      const page = await load(current)
      yield page
      if (page.next === undefined) return
      if (queryText(page.next) === queryText(current)) throw new StreamError('A page names itself as the next one.')
      current = page.next
    }
  }
  async function* elements(): AsyncGenerator<T> {
    for await (const page of pages()) yield* page.items
  }
  return {
    pages,
    first: () => load(query),
    take: async (max) => {
      const taken: T[] = []
      if (max <= 0) return taken
      for await (const each of elements()) if (taken.push(each) >= max) break
      return taken
    },
    [Symbol.asyncIterator]: elements,
  }
}

/** A list whose responses name the next page in `Link`. */
export function pagedByLink<T>(core: Core, operation: Operation, input: Input): Paged<T> {
  return pagedBy<T>(input.query, async (query) => {
    const response = await send(core, operation, { ...input, query })
    const total = response.headers.get('x-total-count')
    const next = nextQuery(response.headers.get('link'))
    return {
      items: (await parsedBody(core, response)) as T[],
      ...(total === null ? {} : { total: Number(total) }),
      ...(next === undefined ? {} : { next }),
    }
  })
}

/** A list that continues before the id of its last element. */
export function pagedById<T extends { id: string }>(
  core: Core,
  operation: Operation,
  input: Input,
  defaultLimit: number,
): Paged<T> {
  return pagedBy<T>(input.query, async (query) => {
    const items = (await call(core, operation, { ...input, query })) as T[]
    const { limit = defaultLimit } = (query ?? {}) as { limit?: number | string }
    const last = items.at(-1)
    const isLast = last === undefined || items.length < Number(limit)
    return { items, ...(isLast ? {} : { next: { limit: String(limit), before: last.id } }) }
  })
}

/** A list in the field `field` of responses that name the next page in `next`, which is the parameter `parameter`. */
export function pagedByNext<T>(
  core: Core,
  operation: Operation,
  field: string,
  input: Input,
  parameter = 'after',
): Paged<T> {
  return pagedBy<T>(input.query, async (query) => {
    const body = (await call(core, operation, { ...input, query })) as Record<string, unknown>
    const { next } = body
    return {
      items: body[field] as T[],
      ...(typeof next === 'string' ? { next: { ...nextOf(query), [parameter]: next } } : {}),
    }
  })
}

/** The filters of a query, as texts. */
function nextOf(query: object | undefined): Record<string, string> {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
}

/**
 * The query of the link to the next page. Only the query is used: the request goes to the address that this client was given, so that
 * the credentials never leave it, and a server that is reached by another name than its own works.
 */
export function nextQuery(link: string | null): Record<string, string> | undefined {
  for (const [, address = '', parameters = ''] of (link ?? '').matchAll(/<([^>]*)>((?:\s*;\s*[^,;<]+)*)/g)) {
    if (!/;\s*rel="?next"?/i.test(parameters)) continue
    const start = address.indexOf('?')
    const query = Object.fromEntries(new URLSearchParams(start < 0 ? '' : address.slice(start + 1)))
    delete query['access_token']
    return query
  }
  return undefined
}
