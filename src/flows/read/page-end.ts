import type { VerifiedOrCachedAccount } from '#model/accounts/account.ts'
import type { ItemKey, Query } from '#model/items/query.ts'
import { proofOfHolding } from '#store/identity/access-tokens.ts'
import type { ListedWithKeys } from '#store/items/copies.ts'
import { countItems, queryKeys } from '#store/items/keys.ts'
import { findLastKeys } from '#store/items/list-items.ts'
import type { ItemScope, ReadDeps } from './find.ts'
import { withoutCopies } from './read-items.ts'

/** Limit: items of one page whose comparison is remembered until they are sent; further ones are compared again. */
const MAX_REMEMBERED = 10_000
/** Limit: items compared at once while the end of a page is looked for or items are counted; further ones follow in the next batch. */
const MAX_KEYS = 2000
const SMALL_BATCH = 100

export interface PageEnd {
  /** The last item of the page; undefined when none is left. */
  last: ItemKey | undefined
  hasMore: boolean
  /** Ids of items on the page that are not copies, so that they are not compared again. */
  kept: ReadonlySet<string>
}

type Deps = Pick<ReadDeps, 'database'>

/** Finds where a page of `left` items ends, and whether more follow, without reading the items. */
export async function findPageEnd(
  deps: Deps,
  scope: ItemScope<VerifiedOrCachedAccount>,
  query: Query,
  left: number,
): Promise<PageEnd> {
  const { readable, selection, account } = scope
  const proof = proofOfHolding(account, readable)
  const { background } = deps.database
  const list = { readable, selection, query, limit: left + 1, proof }
  const { count, last, secondToLast } = await findLastKeys(background, list)
  const kept = new Set<string>()
  if (count <= left) return { last, hasMore: false, kept }
  if (!query.dedup) return { last: secondToLast, hasMore: true, kept }
  let end: ItemKey | undefined
  let missing = left
  for await (const keys of comparedKeys(deps, scope, query, () => missing + 1)) {
    for (const { id } of keys.slice(0, MAX_REMEMBERED - kept.size)) kept.add(id)
    if (keys.length > missing) return { last: missing === 0 ? end : keys[missing - 1], hasMore: true, kept }
    missing -= keys.length
    end = keys.at(-1) ?? end
  }
  return { last: end, hasMore: false, kept }
}

/** Counts what a query finds on all its pages. */
export async function countAllPages(
  deps: Deps,
  scope: ItemScope<VerifiedOrCachedAccount>,
  query: Query,
): Promise<number> {
  const { readable, selection } = scope
  if (!query.dedup) return countItems(deps.database.background, readable, selection, query)
  let count = 0
  for await (const keys of comparedKeys(deps, scope, { ...query, before: undefined }, () => MAX_KEYS))
    count += keys.length
  return count
}

/** Yields what `readItems` would yield, without documents. */
async function* comparedKeys(
  { database: { background } }: Deps,
  scope: ItemScope<VerifiedOrCachedAccount>,
  query: Query,
  wanted: () => number,
): AsyncGenerator<ListedWithKeys[]> {
  const { readable, selection, account } = scope
  if (readable.length === 0 || query.terms?.length === 0) return
  const proof = proofOfHolding(account, readable)
  for (let page = query; ; ) {
    const rows = Math.min(MAX_KEYS, Math.max(SMALL_BATCH, wanted()))
    const keys = await queryKeys(background, { readable, selection, query: page, limit: rows, proof })
    yield await withoutCopies(background, scope, query, keys)
    const last = keys.at(-1)
    if (last === undefined || keys.length < rows) return
    page = { ...page, before: { at: last.at, id: last.id } }
  }
}
