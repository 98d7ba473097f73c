import type { Pages } from '#kit/endpoints/pages.ts'

/** `max_id` is inclusive, so the next page starts one below the lowest id. Only an empty page is the end. */
export const idPages: Pages = {
  first: (request) => ({ ...request, query: { count: '200', ...request.query } }),
  next: ({ request, body }) => {
    const ids = (body as { id_str?: string }[]).flatMap(({ id_str }) => (id_str === undefined ? [] : [BigInt(id_str)]))
    const [first, ...others] = ids
    if (first === undefined) return undefined
    const lowest = others.reduce((low, id) => (id < low ? id : low), first)
    return { ...request, query: { ...request.query, max_id: String(lowest - 1n) } }
  },
}
