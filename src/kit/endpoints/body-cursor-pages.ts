import type { PageRequest, Pages } from './pages.ts'

/**
 * For a service that takes the cursor in the body of the request. `continueAt` is the path of the following requests where it is
 * another one; their body has the cursor only. Otherwise the cursor is set in the body of the first request. The cursor of a
 * `token` checkpoint with the same `param` continues there as well.
 *
 *     pages: bodyCursorPages({ param: 'cursor', from: (body: Listing) => (body.has_more ? body.cursor : undefined), continueAt: '/list/continue' })
 */
export function bodyCursorPages<Body>(options: {
  param: string
  from: (body: Body) => string | number | bigint | null | undefined
  continueAt?: string
}): Pages {
  const withCursor = (request: PageRequest, cursor: string): PageRequest => ({
    ...request,
    path: options.continueAt ?? request.path,
    body:
      options.continueAt === undefined
        ? setInBody(request, options.param, cursor)
        : onlyCursor(request, options.param, cursor),
  })
  return {
    first: (request) => {
      const cursor = fieldOf(request, options.param)
      return cursor === undefined ? request : withCursor(request, cursor)
    },
    next: ({ request, body }) => {
      const cursor = options.from(body as Body)
      if (cursor === null || cursor === undefined || cursor === '') return undefined
      return withCursor(request, String(cursor))
    },
  }
}

const isForm = ({ headers }: PageRequest): boolean =>
  headers?.['content-type']?.startsWith('application/x-www-form-urlencoded') === true

/** The cursor that a checkpoint put into the body. */
function fieldOf(request: PageRequest, param: string): string | undefined {
  if (isForm(request)) return new URLSearchParams(request.body).get(param) ?? undefined
  const value = (JSON.parse(request.body ?? 'null') as Record<string, unknown> | null)?.[param]
  return typeof value === 'string' ? value : undefined
}

function onlyCursor(request: PageRequest, param: string, cursor: string): string {
  return isForm(request) ? new URLSearchParams({ [param]: cursor }).toString() : JSON.stringify({ [param]: cursor })
}

function setInBody(request: PageRequest, param: string, cursor: string): string {
  if (isForm(request)) {
    const fields = new URLSearchParams(request.body)
    fields.set(param, cursor)
    return fields.toString()
  }
  const fields: unknown = JSON.parse(request.body ?? '{}')
  if (fields === null || typeof fields !== 'object' || Array.isArray(fields))
    throw new TypeError('the body of the request is not an object')
  return JSON.stringify({ ...fields, [param]: cursor })
}
