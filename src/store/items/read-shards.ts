import { AccountChanged } from '#model/accounts/account.ts'
import type { ItemKey, Query } from '#model/items/query.ts'
import { lastOf } from '#platform/formats/list-ends.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { isProven, isProvenInOneShard, type Proof } from '../identity/access-tokens.ts'
import type { ReadableProfile } from '../identity/readable-profiles.ts'
import { isHiddenElsewhere, withoutHiddenOf } from './hidden-copies.ts'

/** An item in a list. */
export interface ListedItem extends ItemKey {
  profileId: string
}

/** Reads the first items of profiles in one shard, in reading order. With a proof, throws `AccountChanged` when it does not hold. */
export type ReadShard<Item> = (
  readable: readonly ReadableProfile[],
  query: Query,
  limit: number,
  proof?: Proof,
) => Promise<Item[]>

/** Limit: items of one batch that is compared with copies in other shards; further ones follow in the next batch. */
const MAX_BATCH = 5000

/**
 * Whether one statement can read these profiles and verify the proof. Accounts have profiles in several shards after a merge. On a
 * replica a revoked token may still be valid and a new one unknown: there the primary verifies the proof.
 */
export function isOneStatement(
  { primary }: Queries,
  readable: readonly ReadableProfile[],
  proof: Proof | undefined,
): boolean {
  return (
    shardsOf(readable).length <= 1 &&
    !readable.some(isHiddenElsewhere) &&
    (proof === undefined || (primary === undefined && isProvenInOneShard(proof)))
  )
}

/**
 * The first items in reading order, one statement for each shard, merged here. A proof that no such statement can verify is
 * verified after everything was read: whatever is returned was still allowed later than it was read.
 */
export async function readShards<Item extends ListedItem>(
  queries: Queries,
  readable: readonly ReadableProfile[],
  query: Query,
  limit: number,
  proof: Proof | undefined,
  read: ReadShard<Item>,
): Promise<Item[]> {
  if (isOneStatement(queries, readable, proof)) return read(readable, query, limit, proof)
  const items = await mergeShards(queries, readable, query, limit, read)
  if (proof !== undefined && !(await isProven(queries.primary ?? queries, proof))) throw new AccountChanged()
  return items
}

async function mergeShards<Item extends ListedItem>(
  queries: Queries,
  readable: readonly ReadableProfile[],
  query: Query,
  limit: number,
  read: ReadShard<Item>,
): Promise<Item[]> {
  const { open, hidden } = splitByCopies(readable)
  const readOpen = async () =>
    inOrder(query, await Promise.all(shardsOf(open).map((group) => read(group, query, limit)))).slice(0, limit)
  let items = await readOpen()
  if (hidden.length === 0) return items
  for (;;) {
    // Beyond the end of a full page nothing is needed.
    const range = items.length === limit ? { ...query, through: lastOf(items) } : query
    const lists = await Promise.all(shardsOf(hidden).map((group) => readHidden(queries, group, range, limit, read)))
    const merged = inOrder(query, [items, ...lists.map(({ shown }) => shown)]).slice(0, limit)
    const listed = new Set(items.map(({ id }) => id))
    const left = lists.flatMap(({ leftOut }) => leftOut).filter((id) => !listed.has(id))
    const isRepeated = lists.some(({ shown }) => shown.some(({ id }) => listed.has(id)))
    if (left.length === 0 && !isRepeated) return merged
    // A copy that is not listed matches no more, or was written after its shard was read: then it must be listed now.
    const again = await readOpen()
    if (!isRepeated && isSameList(items, again)) return merged
    items = again
  }
}

/**
 * The first items of profiles in one shard whose copies in other shards take precedence, and the ids of those that were left
 * out.
 */
async function readHidden<Item extends ListedItem>(
  queries: Queries,
  readable: readonly ReadableProfile[],
  query: Query,
  limit: number,
  read: ReadShard<Item>,
): Promise<{ shown: Item[]; leftOut: string[] }> {
  const shown: Item[] = []
  const leftOut: string[] = []
  for await (const batch of batchesOfHidden(queries, readable, query, limit, read)) {
    shown.push(...batch.shown)
    const isShown = new Set(batch.shown)
    leftOut.push(...batch.items.filter((item) => !isShown.has(item)).map(({ id }) => id))
    if (shown.length >= limit) break
  }
  return { shown: shown.slice(0, limit), leftOut }
}

/** All items of such profiles in batches, and those of each batch that no copy takes precedence over. */
async function* batchesOfHidden<Item extends ListedItem>(
  queries: Queries,
  readable: readonly ReadableProfile[],
  query: Query,
  firstRows: number,
  read: ReadShard<Item>,
): AsyncGenerator<{ items: Item[]; shown: Item[] }> {
  for (let page = query, rows = Math.min(firstRows, MAX_BATCH); ; rows = Math.min(2 * rows, MAX_BATCH)) {
    const items = await read(readable, page, rows)
    yield { items, shown: await withoutHiddenOf(queries, readable, items) }
    if (items.length < rows) return
    const { at, id } = lastOf(items)
    page = { ...page, before: { at, id } }
  }
}

/** Those whose items are all listed, and those whose items may be hidden by copies in another shard. */
export function splitByCopies(readable: readonly ReadableProfile[]): {
  open: ReadableProfile[]
  hidden: ReadableProfile[]
} {
  return {
    open: readable.filter((profile) => !isHiddenElsewhere(profile)),
    hidden: readable.filter(isHiddenElsewhere),
  }
}

/** One list for each shard. */
export function shardsOf<Placed extends { shard: number }>(profiles: readonly Placed[]): Placed[][] {
  return [...Map.groupBy(profiles, ({ shard }) => shard).values()]
}

function inOrder<Item extends ItemKey>({ sort }: Query, lists: readonly Item[][]): Item[] {
  const direction = sort === 'asc' ? 1 : -1
  return lists.flat().sort((a, b) => direction * (a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)))
}

function isSameList(before: readonly ItemKey[], after: readonly ItemKey[]): boolean {
  return before.length === after.length && before.every(({ at, id }, n) => at === after[n]!.at && id === after[n]!.id)
}
