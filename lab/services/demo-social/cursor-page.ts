import { first } from '../../base/pairs.ts'
import { json, Refusal } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'

const defaultLimit = 25
const maxLimit = 50

interface CursorPage {
  shown: StoredItem[]
  nextCursor: string | null
}

/** A cursor names the last scanned item: new items do not shift pages. Hidden items make pages short or empty. */
export function cursorPage(request: LabRequest, items: readonly StoredItem[]): CursorPage {
  const limit = readLimit(first(request.query, 'limit'))
  const after = first(request.query, 'cursor')
  const start = after === undefined ? 0 : startAfter(items, after)
  const slice = items.slice(start, start + limit)
  const last = slice.at(-1)
  const more = start + limit < items.length
  return { shown: slice.filter(isShown), nextCursor: more && last ? encode(last) : null }
}

const encode = (item: StoredItem): string => Buffer.from(`${item.createdAtMs}/${item.id}`).toString('base64url')

function startAfter(items: readonly StoredItem[], cursor: string): number {
  const match = /^(\d+)\/(.+)$/.exec(Buffer.from(cursor, 'base64url').toString())
  if (!match) throw new Refusal(json(400, { error: 'invalid_cursor', message: 'The cursor was not made here' }))
  const at = items.findIndex((item) => item.id === match[2])
  if (at >= 0) return at + 1
  const older = items.findIndex((item) => item.createdAtMs < Number(match[1]))
  return older < 0 ? items.length : older
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return defaultLimit
  const limit = /^\d+$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > maxLimit)
    throw new Refusal(json(400, { error: 'invalid_limit', message: `limit is a whole number from 1 to ${maxLimit}` }))
  return limit
}
