import { first } from '../../base/pairs.ts'
import { json, Refusal } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'

const defaultCount = 20
const maxCount = 200

/** `count`, `max_id` (inclusive) and `since_id` (exclusive), compared as 64-bit numbers. */
export function idWindow<T extends { id: string }>(
  request: LabRequest,
  items: readonly T[],
  shown: (item: T) => boolean,
): T[] {
  const count = Math.min(maxCount, Number(whole(request, 'count') ?? defaultCount))
  const maxId = whole(request, 'max_id')
  const sinceId = whole(request, 'since_id')
  return (
    items
      .filter(
        ({ id }) => (maxId === undefined || BigInt(id) <= maxId) && (sinceId === undefined || BigInt(id) > sinceId),
      )
      .sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1))
      // Deleted items are removed after the cut: a short page is not the last one.
      .slice(0, count)
      .filter(shown)
  )
}

function whole(request: LabRequest, name: string): bigint | undefined {
  const value = first(request.query, name)
  if (value === undefined) return undefined
  if (!/^\d{1,19}$/.test(value) || (name === 'count' && value === '0'))
    throw new Refusal(json(400, { errors: [{ code: 44, message: `${name} parameter is invalid` }] }))
  return BigInt(value)
}
