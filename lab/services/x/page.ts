import { first } from '../../base/pairs.ts'
import type { LabRequest } from '../../base/request.ts'
import { decodeToken, encodeToken } from './ids.ts'
import { wrong } from './params.ts'

interface Page<T> {
  shown: T[]
  tokens: { next_token?: string; previous_token?: string }
}

/**
 * Cuts the page first and filters afterwards: a page may be short or empty and still have a next token.
 * A token names the item at the page's edge, so new items at the top do not shift the pages.
 */
export function pageOf<T extends { id: string }>(
  request: LabRequest,
  all: readonly T[],
  visible: (item: T) => boolean,
  count: number,
): Page<T> {
  const [start, end] = bounds(request, all, count)
  const slice = all.slice(start, end)
  const [top, bottom] = [slice[0], slice.at(-1)]
  return {
    shown: slice.filter(visible),
    tokens: {
      ...(bottom && end < all.length ? { next_token: encodeToken(`n${bottom.id}`) } : {}),
      ...(top && start > 0 ? { previous_token: encodeToken(`p${top.id}`) } : {}),
    },
  }
}

function bounds(request: LabRequest, all: readonly { id: string }[], count: number): [number, number] {
  const token = first(request.query, 'pagination_token')
  if (token === undefined) return [0, count]
  const match = /^([np])(\d+)$/.exec(/^(?:[0-9a-f]{2})+$/.test(token) ? decodeToken(token) : '')
  const at = match ? all.findIndex(({ id }) => id === match[2]) : -1
  if (!match || at < 0) throw wrong('pagination_token', token, 'is not valid')
  return match[1] === 'n' ? [at + 1, at + 1 + count] : [Math.max(0, at - count), at]
}
