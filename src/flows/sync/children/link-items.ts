import type { Queries } from '#platform/postgres/database.ts'
import { type ChildItem, childItemsSince, itemsOnlyIn, newChildItems } from '#store/items/child-items.ts'
import type { LosslessJson } from '#upstream/body/lossless-json.ts'
import type { PageDiff } from '../diff/diff-page.ts'
import { type Deletions, isPlausible } from '../diff/find-deleted.ts'
import { isObject } from '../diff/item-stream.ts'
import type { EndpointRun } from '../walk/endpoint-run.ts'

/** The page with the links between its items and their parents that are not stored yet. */
export async function linkToParents(
  queries: Queries,
  run: EndpointRun,
  page: PageDiff,
  records: LosslessJson[],
): Promise<PageDiff> {
  if (run.visit === undefined) return page
  const { profileKey, name } = run
  const links = await newChildItems(queries, { ...profileKey, endpoint: name }, linksOf(run, page, records))
  return { ...page, links }
}

function linksOf(run: EndpointRun, page: PageDiff, records: LosslessJson[]): ChildItem[] {
  const { endpoint, stream, visit } = run
  const parents = visit!.parents
  const { batch } = endpoint.children!
  if (batch === undefined) return page.seen.map((id) => ({ parent: parents[0]!.id, id }))
  const byNativeId = new Map(parents.map((parent) => [parent.nativeId, parent.id]))
  const seen = new Set(page.seen)
  const links = new Map<string, ChildItem>()
  for (const raw of records.filter(isObject)) {
    try {
      const { nativeId, id } = stream.identify(raw)
      const parent = byNativeId.get(String(batch.of === undefined ? nativeId : batch.of(raw)))
      if (parent !== undefined && seen.has(id)) links.set(`${parent} ${id}`, { parent, id })
    } catch {
      // A record without a usable id is quarantined, and one without a parent is never missing from one.
    }
  }
  return [...links.values()]
}

/** What a complete walk says about the items of its parents. */
export interface ChildDeletions extends Deletions {
  /** Items that these parents do not have any more, though another one may. */
  unlinked: string[]
}

/**
 * Stored items of the visited parents that the walk should have shown but did not. How many are plausible is decided
 * over the whole endpoint: one list may become empty, but not all of them at once.
 */
export async function findDeletedChildren(
  queries: Queries,
  { endpoint, profileKey, name, visit, state }: EndpointRun,
  walk: { seen: Set<string>; oldestAt: number | undefined; isConfirmed: boolean },
): Promise<ChildDeletions> {
  const { round, parents } = visit!
  const { deletes, checkpoint } = endpoint
  const isIncremental = state.watermark !== undefined && checkpoint !== undefined
  if (deletes === 'none' || (isIncremental && deletes === 'all')) return { ids: [], suspects: 0, unlinked: [] }
  const key = { ...profileKey, endpoint: name }
  const parentIds = parents.map(({ id }) => id)
  const sinceMs = isIncremental ? (walk.oldestAt ?? Number.MAX_SAFE_INTEGER) + 1 : Number.MIN_SAFE_INTEGER
  const stored = await childItemsSince(queries, key, parentIds, sinceMs)
  const unlinked = [...new Set(stored.filter(({ id }) => !walk.seen.has(id)).map(({ id }) => id))]
  const ids = await itemsOnlyIn(queries, key, parentIds, unlinked)
  const total = Math.max(state.items, stored.length)
  return walk.isConfirmed || isPlausible(round.deleted + ids.length, total)
    ? { ids, suspects: 0, unlinked }
    : { ids: [], suspects: ids.length, unlinked: [] }
}
