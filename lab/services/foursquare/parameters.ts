import { first } from '../../base/pairs.ts'
import type { LabRequest } from '../../base/request.ts'
import type { StoredItem } from '../../data/item-store.ts'
import { matching, readParam } from '../../declare/parameters.ts'
import { apiError, wrongParameter } from './envelope.ts'
import { isHere, seconds } from './present.ts'

/** Every call must send the API's version date. */
export function checkVersion(request: LabRequest): void {
  const version = first(request.query, 'v')
  if (version === undefined)
    throw apiError(
      410,
      'param_error',
      'The Foursquare API no longer supports requests that do not pass in a version parameter.',
    )
  if (!/^20\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/.test(version))
    throw wrongParameter(`Value ${version} is invalid for v: use YYYYMMDD`)
}

const wholeNumber = (request: LabRequest, name: string): number | undefined =>
  readParam(request, name, matching(/^\d{1,15}$/, Number), (text) =>
    wrongParameter(`Value ${text} is invalid for ${name}`),
  )

export function readLimit(request: LabRequest, fallback: number, greatest: number): number {
  const limit = wholeNumber(request, 'limit') ?? fallback
  if (limit > greatest) throw wrongParameter(`Value ${limit} is invalid for limit: the greatest is ${greatest}`)
  return limit
}

/** Items at or after `afterTimestamp` and before `beforeTimestamp`, in epoch seconds. */
export function withinTimes(request: LabRequest, items: readonly StoredItem[]): StoredItem[] {
  const after = wholeNumber(request, 'afterTimestamp') ?? 0
  const before = wholeNumber(request, 'beforeTimestamp') ?? Number.POSITIVE_INFINITY
  return items
    .filter(isHere)
    .filter(({ createdAtMs }) => seconds(createdAtMs) >= after && seconds(createdAtMs) < before)
}

/** Offsets count from the current first item: a new item shifts all others by one. */
export function offsetPage<T>(request: LabRequest, all: readonly T[], fallback: number, greatest: number): T[] {
  const offset = wholeNumber(request, 'offset') ?? 0
  return all.slice(offset, offset + readLimit(request, fallback, greatest))
}

export function sorted(request: LabRequest, items: StoredItem[]): StoredItem[] {
  const sort = first(request.query, 'sort') ?? 'newestfirst'
  if (sort === 'oldestfirst') return items.reverse()
  if (sort !== 'newestfirst' && sort !== 'recent') throw wrongParameter(`Value ${sort} is invalid for sort`)
  return items
}
