import { AccountChanged, type VerifiedOrCachedAccount } from '#model/accounts/account.ts'
import type { Query } from '#model/items/query.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { proofOfCached, proofOfHolding } from '#store/identity/access-tokens.ts'
import { findCopies, type ListedWithKeys } from '#store/items/copies.ts'
import { type FoundItem, queryItems } from '#store/items/query.ts'
import type { ItemScope, ReadDeps } from './find.ts'

const FIRST_ROWS = 50
/** Limit: rows fetched at once for one stream of items; further ones follow in the next batch. */
const MAX_ROWS = 1000
/** After the first batch, a batch has about this much text: enough to keep a socket busy, and little memory. */
const BATCH_CHARS = 256 * 1024

/**
 * Yields items in order, in batches that are fetched on demand: a slow consumer slows the queries down, and one that stops ends
 * them. No database connection is held between two batches. Each batch verifies again that the account may read it.
 */
export async function* readItems(
  { database }: Pick<ReadDeps, 'database'>,
  scope: ItemScope<VerifiedOrCachedAccount>,
  query: Query,
  kept: ReadonlySet<string> = new Set(),
): AsyncGenerator<FoundItem[]> {
  const { readable, selection, account } = scope
  if (query.limit === 0 && 'cached' in account) throw new AccountChanged()
  let left = query.limit
  let rows = FIRST_ROWS
  let page = query
  // Batches after the first belong to a long response, which must not delay short ones. So does the rest of a page.
  let isLong = query.through !== undefined
  const laterProof = proofOfHolding(account, readable)
  while (left > 0) {
    const want = Math.min(left, rows)
    const queries = isLong ? database.background : database
    const proof = isLong ? laterProof : proofOfCached(account)
    const found = await queryItems(queries, readable, selection, page, want, proof)
    const items = query.copyOf
      ? await withOriginals(queries, scope, query, found)
      : await withoutCopies(queries, scope, query, found, kept)
    // Read everything before the yield: the consumer owns the list and may empty it.
    left -= items.length
    const last = found.at(-1)
    const isEnd = last === undefined || found.length < want
    const chars = found.reduce((sum, { data, oembed }) => sum + data.length + oembed.length, 0)
    rows = Math.min(MAX_ROWS, Math.max(1, Math.floor((BATCH_CHARS * found.length) / chars)))
    if (items.length > 0) yield items
    if (isEnd) return
    page = { ...page, before: { at: last.at, id: last.id } }
    isLong = true
  }
}

/** With `dedup`, leaves out the items that are copies of an earlier one that the same query finds. `kept` were compared before. */
export async function withoutCopies<Item extends ListedWithKeys>(
  queries: Queries,
  { readable, selection }: ItemScope<VerifiedOrCachedAccount>,
  query: Query,
  found: Item[],
  kept?: ReadonlySet<string>,
): Promise<Item[]> {
  if (!query.dedup) return found
  const compared = found.filter(({ id }) => kept?.has(id) !== true)
  const positions = await findCopies(queries, readable, selection, query, compared)
  if (positions.size === 0) return found
  const copies = new Set(compared.filter((_, position) => positions.has(position)))
  return found.filter((item) => !copies.has(item))
}

/** Names the original of each copy. With `dedup` as well, copies are left out, and the others have none. */
async function withOriginals(
  queries: Queries,
  { readable, selection }: ItemScope<VerifiedOrCachedAccount>,
  query: Query,
  found: FoundItem[],
): Promise<FoundItem[]> {
  const originals = await findCopies(queries, readable, selection, query, found)
  if (query.dedup) return found.filter((_, position) => !originals.has(position))
  return found.map((item, position) => ({ ...item, copyOf: originals.get(position) }))
}
