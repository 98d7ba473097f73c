import { lastOf } from '#platform/formats/list-ends.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { autoPrepare } from '#platform/postgres/statement-cache.ts'
import { isSharded } from '../cluster/is-sharded.ts'
import type { ReadableProfile } from '../identity/readable-profiles.ts'
import { FIRST_ITEM_ID } from '../keys/item-ids.ts'
import { withoutHiddenOf } from './hidden-copies.ts'
import { type Match, Values } from './predicates.ts'
import { shardsOf, splitByCopies } from './read-shards.ts'
import { shownItems } from './shown-items.ts'

/** Inclusive, epoch ms. */
export interface TimeRange {
  since: number
  until: number
}

/** Which items are counted, and how. */
export interface Counting {
  /** The columns of the result beside `n`, each as SQL on `i`: items with the same values are counted together. */
  by: Readonly<Record<string, string>>
  match: (values: Values, profile: ReadableProfile) => Match
  /** Only items of this time are counted, with `oldest` and `newest`; values that only others have are listed with 0. */
  range?: TimeRange
  /** The most items of one profile that are counted; more count as this many. */
  atMost?: number
}

/** Limit: items that are in memory at once while those without a copy in another shard are counted. */
const MAX_BATCH = 5000

/** Counts the items of profiles that are listed, each once, in one statement for each shard. Every profile has rows of its own. */
export async function countShown<Row extends { n: number }>(
  queries: Queries,
  readable: readonly ReadableProfile[],
  counting: Counting,
): Promise<Row[]> {
  const sharded = await isSharded(queries)
  const { open, hidden } = splitByCopies(readable)
  const counted: Row[] = []
  for (const group of shardsOf(open)) {
    const { text, values } = writeCount(sharded, group, counting)
    counted.push(...(await queries.rows<Row>(autoPrepare(text), values)))
  }
  // What one profile may have at most is counted of each alone.
  const groups = counting.atMost === undefined ? shardsOf(hidden) : hidden.map((profile) => [profile])
  for (const group of groups) counted.push(...(await countHidden<Row>(queries, sharded, group, counting)))
  return counted
}

/** The statement of `countShown` for profiles in one shard, none of which has copies in another. */
export function writeCount(
  sharded: boolean,
  readable: readonly ReadableProfile[],
  { by, match, range, atMost }: Counting,
): { text: string; values: unknown[] } {
  const values = new Values(sharded)
  const names = Object.keys(by)
  const isCounted = range && `filter (where at >= ${values.add(range.since)} and at <= ${values.add(range.until)})`
  const measures =
    isCounted === undefined
      ? ['count(*) as n']
      : [`count(*) ${isCounted} as n`, `min(at) ${isCounted} as oldest`, `max(at) ${isCounted} as newest`]
  const groups = names.length === 0 ? '' : ` group by ${names.join(', ')}`
  const counts = readable.map((profile) => {
    const found = `select ${columnsOf(by, 'i.at')} from ${shownItems(values, profile, match(values, profile))}`
    const limit = atMost === undefined ? '' : ` limit ${atMost}`
    return `select ${[...names, ...measures].join(', ')} from (${found}${limit}) counted${groups}`
  })
  return { text: counts.join(' union all '), values: values.list }
}

/** Reads the items of profiles in one shard in batches, to leave out those that a profile in another shard has too. */
async function countHidden<Row extends { n: number }>(
  queries: Queries,
  sharded: boolean,
  readable: readonly ReadableProfile[],
  counting: Counting,
): Promise<Row[]> {
  const counter = createCounter(counting)
  let left = counting.atMost ?? Number.POSITIVE_INFINITY
  for (let after = FIRST; left > 0; ) {
    const { text, values } = writeBatch(sharded, readable, counting, after)
    const found = await queries.rows<BatchRow>(autoPrepare(text), values)
    const items = found.map((row) => ({ row, profileId: row.profile_id, id: row.id.replaceAll('-', '') }))
    const shown = (await withoutHiddenOf(queries, readable, items)).slice(0, left)
    for (const { row } of shown) counter.add(row)
    left -= shown.length
    if (found.length < MAX_BATCH) break
    after = lastOf(items)
  }
  return counter.rows() as unknown as Row[]
}

interface BatchRow extends Record<string, unknown> {
  id: string
  profile_id: string
  at: number
}

const FIRST = { id: FIRST_ITEM_ID, profileId: '' }

/** The statement that reads the next items to count, in the order of their ids. */
export function writeBatch(
  sharded: boolean,
  readable: readonly ReadableProfile[],
  { by, match }: Counting,
  after: { id: string; profileId: string },
): { text: string; values: unknown[] } {
  const values = new Values(sharded)
  const next = `order by id, profile_id limit ${MAX_BATCH}`
  const lists = readable.map((profile) => {
    const { lookup, where } = match(values, profile)
    const isAfter = `(i.id, i.profile_id) > (${values.add(after.id)}::uuid, ${values.add(after.profileId)})`
    const from = shownItems(values, profile, { lookup, where: [...where, isAfter] })
    return `(select ${columnsOf(by, 'i.id', 'i.profile_id', 'i.at')} from ${from} ${next})`
  })
  return { text: `select * from (${lists.join(' union all ')}) found ${next}`, values: values.list }
}

function columnsOf(by: Counting['by'], ...others: string[]): string {
  return [...Object.entries(by).map(([name, sql]) => `${sql} as ${name}`), ...others].join(', ')
}

/** Counts rows as the statement of `writeCount` does. */
function createCounter({ by, range }: Counting): { add(row: BatchRow): void; rows(): object[] } {
  const counts = new Map<string, { n: number; oldest?: number | null; newest?: number | null }>()
  const none = range === undefined ? { n: 0 } : { n: 0, oldest: null, newest: null }
  return {
    add: (row) => {
      const group = Object.fromEntries(Object.keys(by).map((name) => [name, row[name]]))
      const key = JSON.stringify(group)
      const known = counts.get(key) ?? { ...group, ...none }
      counts.set(key, known)
      if (range !== undefined && (row.at < range.since || row.at > range.until)) return
      known.n += 1
      if (range === undefined) return
      known.oldest = Math.min(row.at, known.oldest ?? row.at)
      known.newest = Math.max(row.at, known.newest ?? row.at)
    },
    rows: () => [...counts.values()],
  }
}
