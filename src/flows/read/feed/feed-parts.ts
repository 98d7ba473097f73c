import { typeBits } from '#model/items/types.ts'
import { lastOf } from '#platform/formats/list-ends.ts'
import { type ChangeKey, changeKeysOfRanges } from '#store/items/change-keys.ts'
import type { Resolved } from '#store/items/changed-copies.ts'
import { findItems } from '#store/items/items-by-id.ts'
import { writeEntry } from '../change-entries.ts'
import { type ChangesDeps, type ChangesRequest, changeFor, MAX_EXAMINED, MAX_PAGE_BYTES } from '../changes.ts'
import { createPresenter, type Presentation } from '../present.ts'
import type { FeedCursor } from './feed-cursor.ts'
import type { Shown } from './feed-profiles.ts'

export interface Reader {
  deps: ChangesDeps
  request: ChangesRequest
  options: Presentation
}

/** What a page may show of one entry of a feed, or of one profile. */
export interface Part {
  /** Comes first; `cursor`: where the reader is after it, where changes follow. */
  first?: { text: string; cursor?: FeedCursor }
  /** Changes with a seq after one, up to another; `at`: where the reader is after the change with a seq. */
  changes?: {
    profile: Shown
    range: { after: number; upTo: number; start: number }
    at: (seq: number) => FeedCursor
  }
  /** Where the reader is after all of it. */
  end: FeedCursor
}

/** A step of a reader, and what it shows. */
interface Step {
  text?: string
  change?: { resolved: Resolved; owner: string }
  cursor: FeedCursor
}

const maxKeys = ({ limit, types }: ChangesRequest) =>
  types === undefined ? limit + 1 : Math.max(limit + 1, MAX_EXAMINED)

/** How many changes of a part a page examines at most. */
export function costOf({ changes }: Part, request: ChangesRequest): number {
  return changes === undefined
    ? 1
    : 1 + Math.min(Math.max(0, changes.range.upTo - changes.range.after), maxKeys(request))
}

/**
 * Adds what fits of these parts to a page, and moves its cursor. The statements are always the same two, whatever number of accounts the
 * parts are of; on a sharded server two for each shard. False when something of them is left.
 */
export async function addParts(
  { deps, request, options }: Reader,
  page: { entries: string[]; cursor: FeedCursor },
  parts: readonly Part[],
): Promise<boolean> {
  const limit = maxKeys(request)
  const read = parts.flatMap(({ changes }) =>
    changes !== undefined && changes.range.after < changes.range.upTo ? [changes] : [],
  )
  const ranges = read.map(({ profile: { readable }, range: { after, upTo } }) => {
    return { shard: readable.shard, profileId: readable.profileId, after, upTo }
  })
  const lists = await changeKeysOfRanges(deps.database, ranges, limit)
  const keysOf = new Map(read.map((changes, i) => [changes, keptKeys(lists[i]!, limit)]))
  const { steps, isComplete } = stepsOf(parts, keysOf, request, request.limit - page.entries.length)
  const wanted = steps.flatMap(({ change }, place) => {
    return change?.resolved.put === undefined ? [] : [{ ...change.resolved.put, place }]
  })
  const { items, isCut } = await findItems(deps.database, wanted, MAX_PAGE_BYTES)
  const itemAt = new Map(items.map(({ place, item }) => [place, item]))
  const profiles = read.map(({ profile: { readable } }) => readable)
  const present = createPresenter(deps, profiles, options)
  const done = isCut ? steps.slice(0, (items.at(-1)?.place ?? -1) + 1) : steps
  for (const [place, { text, change, cursor }] of done.entries()) {
    const entry = change ? writeEntry(deps.registry, present, change.owner)(change.resolved, itemAt.get(place)) : text
    if (entry !== undefined) page.entries.push(entry)
    page.cursor = cursor
  }
  return isComplete && !isCut
}

/** Beyond the end of a list that reached its limit, some changes of the other list may be missing. */
function keptKeys(keys: readonly ChangeKey[], limit: number): { keys: ChangeKey[]; isCut: boolean } {
  const lists = [keys.filter(({ types }) => types !== null), keys.filter(({ types }) => types === null)]
  const ends = lists.filter(({ length }) => length === limit).map((list) => lastOf(list).seq)
  const end = Math.min(...ends)
  return { keys: keys.filter(({ seq }) => seq <= end), isCut: ends.length > 0 }
}

/** The steps up to the one that completes the page. */
function stepsOf(
  parts: readonly Part[],
  keysOf: ReadonlyMap<Part['changes'], { keys: ChangeKey[]; isCut: boolean }>,
  { types }: ChangesRequest,
  limit: number,
): { steps: Step[]; isComplete: boolean } {
  const bits = types === undefined ? undefined : typeBits(types)
  const steps: Step[] = []
  let left = limit
  for (const { first, changes, end } of parts) {
    if (left <= 0) return { steps, isComplete: false }
    if (first !== undefined) {
      steps.push({ text: first.text, cursor: first.cursor ?? end })
      left -= 1
    }
    const { keys = [], isCut = false } = keysOf.get(changes) ?? {}
    for (const key of keys) {
      if (left <= 0) return { steps, isComplete: false }
      const { profile, range, at } = changes!
      const change = changeFor(key, range, bits)
      const put = change === 'upsert' ? { profile: profile.readable, id: key.id } : undefined
      const resolved = { profile: profile.readable, key, time: key.at, change, put }
      steps.push({ change: { resolved, owner: profile.owner }, cursor: at(key.seq) })
      if (change !== 'none') left -= 1
    }
    if (isCut) return { steps, isComplete: false }
    steps.push({ cursor: end })
  }
  return { steps, isComplete: true }
}
