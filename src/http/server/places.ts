import { ApiError } from '#model/errors.ts'
import type { HttpDeps } from './deps.ts'

/** How many requests of one caller may last long at the same time in one process. */
export interface Places {
  name: string
  max: number
  retryAfterS: number
}

// Per database: two services in one process do not share their limits.
const taken = new WeakMap<object, Map<string, number>>()

/** Takes a place and returns the function that gives it back. Throws `too_many_readers` when all are taken. */
export function takePlace({ database }: Pick<HttpDeps, 'database'>, { name, max, retryAfterS }: Places): () => void {
  const counts = taken.get(database) ?? new Map<string, number>()
  taken.set(database, counts)
  const count = counts.get(name) ?? 0
  if (count >= max) throw new ApiError('too_many_readers', undefined, { retryAfterS })
  counts.set(name, count + 1)
  return () => {
    const left = (counts.get(name) ?? 1) - 1
    if (left === 0) counts.delete(name)
    else counts.set(name, left)
  }
}

export async function holdPlace<Result>(
  deps: Pick<HttpDeps, 'database'>,
  places: Places,
  work: () => Promise<Result>,
): Promise<Result> {
  const giveBack = takePlace(deps, places)
  try {
    return await work()
  } finally {
    giveBack()
  }
}
