import { AccountChanged, type ReadingAccount } from '#model/account.ts'
import type { Query, Selection } from '#model/query.ts'
import type { Database } from '#platform/postgres/database.ts'
import { proofOfCached, proofOfHolding } from '#store/identity/access-tokens.ts'
import { findOriginals } from '#store/items/originals.ts'
import { type FoundItem, queryItems } from '#store/items/query.ts'
import type { ReadableProfile } from '#store/items/readable-profiles.ts'
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
  { readable, selection, account }: ItemScope<ReadingAccount>,
  query: Query,
): AsyncGenerator<FoundItem[]> {
  if (query.limit === 0 && 'cached' in account) throw new AccountChanged()
  let left = query.limit
  let rows = FIRST_ROWS
  let page = query
  const laterProof = proofOfHolding(account, readable)
  while (left > 0) {
    const want = Math.min(left, rows)
    // Batches after the first belong to a long response, which must not delay short ones.
    const found =
      page === query
        ? await queryItems(database, readable, selection, page, want, proofOfCached(account))
        : await queryItems(database.background, readable, selection, page, want, laterProof)
    const items = query.dedup ? await withoutCopies(database, readable, selection, query, found) : found
    // Read everything before the yield: the consumer owns the list and may empty it.
    left -= items.length
    const last = found.at(-1)
    const isEnd = last === undefined || found.length < want
    const chars = found.reduce((sum, { data, oembed }) => sum + data.length + oembed.length, 0)
    rows = Math.min(MAX_ROWS, Math.max(1, Math.floor((BATCH_CHARS * found.length) / chars)))
    if (items.length > 0) yield items
    if (isEnd) return
    page = { ...page, before: { at: last.at, id: last.id } }
  }
}

/** Keeps one item per dedupe key: an item is left out when an earlier one of the same response has one of its keys. */
async function withoutCopies(
  database: Database,
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  found: FoundItem[],
): Promise<FoundItem[]> {
  const guids = [...new Set(found.flatMap(({ guid }) => guid))]
  const originals = await findOriginals(database, readable, selection, query, guids)
  return found.filter(({ id, guid }) => guid.every((dedupeKey) => (originals.get(dedupeKey) ?? id) === id))
}
