import { AccountChanged } from '#model/account.ts'
import type { Query, Selection } from '#model/query.ts'
import { firstOf } from '#platform/list-ends.ts'
import { type Queries, type Statement, statement } from '#platform/postgres/database.ts'
import { autoPrepare } from '#platform/postgres/statement-cache.ts'
import { type Proof, stillOpens } from '../identity/access-tokens.ts'
import {
  clauses,
  indexLookup,
  indexPredicate,
  inOrder,
  matchPredicates,
  matchPredicatesBesideWords,
  Values,
} from './predicates.ts'
import type { ReadableProfile } from './readable-profiles.ts'

/** An item on its way out; JSON stays text. */
export interface FoundItem {
  profileId: string
  id: string
  endpoint: string
  nativeId: string
  at: number
  updatedAt: number
  types: number
  guid: readonly string[]
  oembed: string
  data: string
  seq: number
}

/** In the order of `columns`. */
type Row = [
  profileId: string,
  /** Absent in the one row that tells of no item. */
  id: string | null,
  endpoint: string,
  nativeId: string,
  at: number,
  updatedAt: number,
  types: number,
  guid: string,
  oembed: string,
  data: string,
  seq: number,
]

// One text is cheaper to read than an array, and nearly always it is empty.
const BETWEEN_GUIDS = '\u001F'
const NO_GUIDS: readonly string[] = []
const columns = `i.profile_id, i.id, i.endpoint, i.native_id, i.at, i.updated_at, i.types, array_to_string(i.guid, '${BETWEEN_GUIDS}') as guid, i.oembed::text as oembed, i.data::text as data, i.seq`

/** How many of the newest items are looked at one by one before anything else is tried. */
const LOOKED_AT = 300
/** What fits more often than this of what is wanted is found sooner by looking on than by an index, up to so many times as far. */
const OFTEN = 4
const FURTHER = 2 * OFTEN - 1

/** One page of items in reading order. What the reader builds upon is asked for along with it; `AccountChanged` when it is not so. */
export async function queryItems(
  queries: Queries,
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  limit: number,
  proof?: Proof,
): Promise<FoundItem[]> {
  const isNothing = readable.length === 0 || limit === 0 || query.terms?.length === 0
  if (isNothing && proof !== undefined) throw new AccountChanged()
  if (isNothing) return []
  const { statement: sql, values } = writeQuery(readable, selection, query, limit, proof)
  const rows = await queries.rows<Row>(sql, values)
  if (proof === undefined) return ownItems(readable, rows)
  if (rows.length === 0) throw new AccountChanged()
  return rows[0]?.[1] === null ? [] : ownItems(readable, rows)
}

/** The last look before items leave the store: a row of somebody else never goes out, whatever gave it. */
function ownItems(readable: readonly ReadableProfile[], rows: readonly Row[]): FoundItem[] {
  const own = new Set(readable.map(({ profileId }) => profileId))
  return rows.map((row) => {
    if (!own.has(row[0])) throw new Error(`an item of another profile was read: ${row[0]}`)
    return toItem(row)
  })
}

export function writeQuery(
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  limit: number,
  proof?: Proof,
): { statement: Statement; values: unknown[] } {
  const values = new Values()
  const write = indexPredicate(new Values(), firstOf(readable), query) === undefined ? writeReading : writeFinding
  const text = write(values, readable, selection, query, limit)
  const proven =
    proof === undefined
      ? text
      : // One row at least as long as it is so, if only an empty one; none otherwise, and then nothing is read at all.
        `select found.* from (select where ${stillOpens(values, proof)}) known
         left join (${text}) found on true order by ${inOrderOf(query, 'found.')}`
  return { statement: { ...autoPrepare(proven), tuples: true }, values: values.list }
}

/** Each profile is an ordered scan of its own that stops early; the few that come out are merged. */
function writeReading(
  values: Values,
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  limit: number,
): string {
  const order = (table: string) => inOrderOf(query, table)
  const most = values.add(limit)
  const branches = readable.map((profile) => {
    const where = clauses(values, profile, selection, query).join(' and ')
    return `(select ${columns} from item i where ${where} order by ${order('i.')} limit ${most})`
  })
  if (branches.length === 1) return firstOf(branches)
  return `select * from (${branches.join(' union all ')}) found order by ${order('')} limit ${most}`
}

/**
 * What fits may be every second item or one in a million, and in this profile otherwise than in the others. So a few of the
 * newest are looked at one by one, which is enough for what is frequent and for profiles that have no more. What is
 * not rare among them is looked for further on in the same order; for the rest, the index of words, people or places gives
 * all that fit, which then are not many. None of it depends on what the planner believes.
 */
function writeFinding(
  values: Values,
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  limit: number,
): string {
  const order = (table: string) => inOrderOf(query, table)
  const beyond = query.sort === 'asc' ? '>' : '<'
  const most = `${values.add(limit)}::bigint`
  const few = `${values.add(Math.max(LOOKED_AT, 2 * limit))}::bigint`
  const shards = readable.map((profile, n) => {
    const where = inOrder(values, profile, selection, query).join(' and ')
    const fits = matchPredicates(values, profile, query).join(' and ')
    const found = indexLookup(indexPredicate(values, profile, query)!)
    const rest = matchPredicatesBesideWords(values, profile, query)
    const newest = (from: string, limited: string) =>
      `select i.at, i.id, ${fits} as fits from item i where ${where}${from} order by ${order('i.')} limit ${limited}`
    const seen = `(select count(*) from seen_${n} where fits)`
    const all = `${seen} + (select count(*) from more_${n})`
    const open = `exists (select from end_${n})`
    const end = `((select at from end_${n}), (select id from end_${n}))`
    const further = `coalesce((select case when ${seen} * ${OFTEN} >= ${most} then ${few} * ${FURTHER} end from end_${n}), 0)`
    return {
      // The last one that was looked at comes along, fitting or not: it tells that there may be more, and from where.
      looks: `seen_${n} as materialized (
          select at, id, fits, nth from (select *, row_number() over () as nth from (${newest('', few)}) i) looked
          where fits or nth = ${few} limit ${most}),
        end_${n} as materialized (select at, id from seen_${n} where nth = ${few} and ${seen} < ${most}),
        more_${n} as materialized (
          select at, id from (${newest(` and (i.at, i.id) ${beyond} ${end}`, further)}) looked
          where fits limit ${most} - ${seen})`,
      keys: `select ${n} as n, at, id from seen_${n} where fits and (not ${open} or ${all} >= ${most})
        union all select ${n}, at, id from more_${n} where ${all} >= ${most}
        union all (
          select ${n}, at, id from ${found} i
          where ${[open, `${all} < ${most}`, where, ...rest].join(' and ')}
          order by ${order('')} limit ${most})`,
    }
  })
  // By primary key, each within its profile: where a row lies in a table says nothing once items are spread over several.
  const rows = readable.map(
    ({ shard, profileId }, n) => `select ${columns} from item i
      where i.shard = ${values.add(shard)} and i.profile_id = ${values.add(profileId)} and i.id = any(array(select id from keys where n = ${n}))`,
  )
  return `with ${shards.map(({ looks }) => looks).join(', ')},
    keys as materialized (select n, at, id from (${shards.map(({ keys }) => keys).join(' union all ')}) keys order by ${order('')} limit ${most})
    select * from (${rows.join(' union all ')}) found order by ${order('')}`
}

function inOrderOf({ sort }: Query, table: string): string {
  return `${table}at ${sort}, ${table}id ${sort}`
}

const byId = {
  ...statement(
    'item-by-id',
    `select ${columns} from item i where i.shard = $1 and i.profile_id = $2 and i.id = $3::uuid`,
  ),
  tuples: true,
}

const anyOfEndpoint = statement(
  'item-any-of-endpoint',
  'select 1 as there from item where shard = $1 and profile_id = $2 and endpoint = $3 limit 1',
)

export async function findItem(queries: Queries, profile: ReadableProfile, id: string): Promise<FoundItem | undefined> {
  const [row] = await queries.rows<Row>(byId, [profile.shard, profile.profileId, id])
  return row && toItem(row)
}

export async function hasEndpoint(queries: Queries, profile: ReadableProfile, endpoint: string): Promise<boolean> {
  return (await queries.rows(anyOfEndpoint, [profile.shard, profile.profileId, endpoint])).length > 0
}

function toItem([profileId, id, endpoint, nativeId, at, updatedAt, types, guid, oembed, data, seq]: Row): FoundItem {
  return {
    profileId,
    id: id!.replaceAll('-', ''),
    endpoint,
    nativeId,
    at,
    updatedAt,
    types,
    guid: guid === '' ? NO_GUIDS : guid.split(BETWEEN_GUIDS),
    oembed,
    data,
    seq,
  }
}
