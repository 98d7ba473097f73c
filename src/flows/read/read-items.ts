import { AccountChanged, type ReadingAccount } from '#model/account.ts'
import type { Query, Selection } from '#model/query.ts'
import type { Database } from '#platform/postgres/database.ts'
import { proofOfCached, proofOfHolding } from '#store/identity/access-tokens.ts'
import { findOriginals } from '#store/items/originals.ts'
import { type FoundItem, queryItems } from '#store/items/query.ts'
import type { ReadableProfile } from '#store/items/readable-profiles.ts'
import type { ItemScope, ReadDeps } from './find.ts'

/** Rows fetched at first; then as many as make about this much text: enough to keep a socket busy, little to hold. */
const FIRST_ROWS = 50
/** Limit: rows fetched at once for one stream of items. */
const MAX_ROWS = 1000
const BATCH_CHARS = 256 * 1024

/**
 * Items in order, fetched as the reader takes them: a slow reader slows the query, and one that leaves ends it.
 * No connection to the database is held between two batches. Each batch asks anew whether it may be read.
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
  const later = proofOfHolding(account, readable)
  while (left > 0) {
    const want = Math.min(left, rows)
    // What comes after the first batch is a long answer, and must not stand before short ones.
    const found =
      page === query
        ? await queryItems(database, readable, selection, page, want, proofOfCached(account))
        : await queryItems(database.background, readable, selection, page, want, later)
    const shown = query.dedup ? await withoutCopies(database, readable, selection, query, found) : found
    // All that is needed of them is taken before: they belong to the reader, who may empty the list.
    left -= shown.length
    const last = found.at(-1)
    const isEnd = last === undefined || found.length < want
    const chars = found.reduce((sum, { data, oembed }) => sum + data.length + oembed.length, 0)
    rows = Math.min(MAX_ROWS, Math.max(1, Math.floor((BATCH_CHARS * found.length) / chars)))
    if (shown.length > 0) yield shown
    if (isEnd) return
    page = { ...page, before: { at: last.at, id: last.id } }
  }
}

/** One item per guid: an item goes when an earlier one of the same answer carries one of its marks. */
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
