import type { Checkpoint } from '#kit/endpoints/checkpoint.ts'
import type { PageRequest, Pages } from '#kit/endpoints/pages.ts'

interface Call {
  path: string
  query: Record<string, string>
}

/** A response of either call: each has another name for its position. */
export interface Positioned {
  nextPageToken?: string
}

/**
 * For an API with a list of everything and another of what changed since a position. The position is read before the list, so that
 * what changes during it is not missed; later runs read the changes only. `param` carries the position, which `from` finds in the
 * response.
 */
export function listThenChanges<Body extends Positioned>(options: {
  position: Call
  list: Call
  changes: Call & { param: string }
  from: (body: Body) => string | number | bigint | undefined
}): { path: string; pages: Pages; checkpoint: Checkpoint<unknown> } {
  const { position, list, changes } = options
  return {
    path: list.path,
    pages: {
      first: (request) => {
        const since = request.query[changes.param]
        return since === undefined
          ? to(request, position)
          : to(request, { path: changes.path, query: { ...changes.query, [changes.param]: since } })
      },
      next: ({ request, body }) => {
        if (request.path === position.path) return to(request, list)
        const { nextPageToken } = body as Body
        if (!nextPageToken) return undefined
        return { ...request, query: { ...request.query, pageToken: nextPageToken } }
      },
    },
    checkpoint: {
      advance: ({ body }, before) => {
        const value = options.from(body as Body)
        return value === undefined ? before : String(value)
      },
      query: (watermark) => ({ [changes.param]: String(watermark) }),
      oldestFirst: false,
    },
  }
}

const to = (request: PageRequest, { path, query }: Call): PageRequest => ({ ...request, path, query: { ...query } })
