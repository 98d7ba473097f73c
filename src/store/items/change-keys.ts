import { type Queries, statement } from '#platform/postgres/database.ts'
import { autoPrepare } from '#platform/postgres/statement-cache.ts'
import { isSharded } from '../cluster/is-sharded.ts'
import { rowsOfShards } from '../each-shard.ts'
import { hexId } from '../keys/item-ids.ts'
import type { ProfileKey } from '../keys/profile-key.ts'
import { refuseForeign } from './foreign-rows.ts'
import { Values } from './predicates.ts'

/** One change of a profile, without the content of the item. */
export interface ChangeKey {
  profileId: string
  seq: number
  id: string
  /** When the item was written or deleted. */
  at: number
  /** The item's types; null when it was deleted. */
  types: number | null
  endpoint: string
  nativeId: string
}

const findLatest = statement(
  'changes-latest-all',
  'select profile_id, seq, forgotten_seq from profile_sync where shard = $shard and profile_id = any($profileIds)',
)

const findChange = statement(
  'changes-of-some',
  `select exists (
     select from item i where i.shard = $shard and i.profile_id = $profileId and i.seq > $after
       and ((i.types & $bits::integer) <> 0 or i.endpoint = any($endpoints))
   ) or exists (
     select from item_tombstone t where t.shard = $shard and t.profile_id = $profileId and t.seq > $after
       and t.endpoint = any($endpoints)
   ) as changed`,
)

/** Whether items of these types were written after a seq, or items of these endpoints written or deleted. */
export async function haveChangedAfter(
  queries: Queries,
  { shard, profileId }: ProfileKey,
  after: number,
  { bits, endpoints }: { bits: number; endpoints: string[] },
): Promise<boolean> {
  const rows = await queries.rows<{ changed: boolean }>(findChange.with({ shard, profileId, after, bits, endpoints }))
  return rows[0]?.changed ?? false
}

/** What is stored of the changes of a profile. */
export interface KeptChanges {
  /** Of the newest one. */
  latest: number
  /** Of the newest deletion that is not kept any more; 0: all are. */
  forgotten: number
}

/** Of each of these profiles. Read it before the changes: deletions are removed a while after they are announced as forgotten. */
export async function keptChanges(
  queries: Queries,
  profiles: readonly ProfileKey[],
): Promise<Map<string, KeptChanges>> {
  const byShard = Map.groupBy(profiles, ({ shard }) => shard)
  const rows = await rowsOfShards<{ profile_id: string; seq: number; forgotten_seq: number }>(
    queries,
    [...byShard.keys()],
    (shard) => findLatest.with({ shard, profileIds: byShard.get(shard)!.map(({ profileId }) => profileId) }),
  )
  const known = new Set(profiles.map(({ profileId }) => profileId))
  return new Map(
    rows.map(({ profile_id, seq, forgotten_seq }) => {
      refuseForeign(known, profile_id)
      return [profile_id, { latest: seq, forgotten: forgotten_seq }]
    }),
  )
}

/**
 * The changes of several profiles after a seq of each, at most `limit` items and `limit` tombstones of each profile. One
 * statement for each shard, so that both lists of a profile are of one moment: its seqs are assigned under a lock that is held
 * until the commit, so a statement that sees a seq also sees all lower ones.
 */
export async function changeKeysAfter(
  queries: Queries,
  positions: readonly ChangePosition[],
  limit: number,
): Promise<ChangeKey[]> {
  const byShard = Map.groupBy(positions, ({ shard }) => shard)
  const rows = await rowsOfShards<KeyRow>(queries, [...byShard.keys()], (shard) => {
    const { text, values } = writeChangeKeys(byShard.get(shard)!, limit)
    return { ...autoPrepare(text), values }
  })
  const known = new Set(positions.map(({ profileId }) => profileId))
  return rows.map(({ profile_id, native_id, ...row }) => {
    refuseForeign(known, profile_id)
    return { ...row, profileId: profile_id, nativeId: native_id }
  })
}

/** Changes of a profile after a seq, up to another one. */
export interface ChangeRange extends ProfileKey {
  after: number
  upTo: number
}

const rangeRows = <const Shard extends string>(ofShard: Shard) =>
  `(select profile_id, seq, ${hexId('id')} as id, updated_at as at, types, endpoint, native_id from item
     where shard = ${ofShard} and profile_id = w.profile_id and seq > w.after and seq <= w.up_to order by seq limit $limit)
   union all
   (select profile_id, seq, ${hexId('id')}, deleted_at, null::integer, endpoint, native_id from item_tombstone
     where shard = ${ofShard} and profile_id = w.profile_id and seq > w.after and seq <= w.up_to order by seq limit $limit)` as const
const RANGES = '$places::integer[], $profileIds::text[], $afters::bigint[], $upTos::bigint[]'
const findOfRanges = statement(
  'feed-changes',
  `select w.place, k.* from unnest(${RANGES}, $shards::smallint[]) as w (place, profile_id, after, up_to, shard)
   cross join lateral (${rangeRows('w.shard')}) k`,
)
const findOfRangesInShard = statement(
  'feed-changes-of-shard',
  `select w.place, k.* from unnest(${RANGES}) as w (place, profile_id, after, up_to)
   cross join lateral (${rangeRows('$shard')}) k`,
)

/**
 * The changes of each of these ranges, at most `limit` items and `limit` tombstones of each. One statement, however many accounts
 * and shards they are of; on a sharded server one for each shard.
 */
export async function changeKeysOfRanges(
  queries: Queries,
  ranges: readonly ChangeRange[],
  limit: number,
): Promise<ChangeKey[][]> {
  const placed = ranges.map((range, place) => ({ ...range, place }))
  const columnsOf = (some: typeof placed) => ({
    places: some.map(({ place }) => place),
    profileIds: some.map(({ profileId }) => profileId),
    afters: some.map(({ after }) => after),
    upTos: some.map(({ upTo }) => upTo),
    limit,
  })
  const read = async () => {
    if (!(await isSharded(queries)))
      return queries.rows<PlacedRow>(
        findOfRanges.with({ ...columnsOf(placed), shards: placed.map(({ shard }) => shard) }),
      )
    const byShard = Map.groupBy(placed, ({ shard }) => shard)
    return rowsOfShards<PlacedRow>(queries, [...byShard.keys()], (shard) =>
      findOfRangesInShard.with({ ...columnsOf(byShard.get(shard)!), shard }),
    )
  }
  const keys: ChangeKey[][] = ranges.map(() => [])
  if (ranges.length === 0) return keys
  for (const { place, profile_id, native_id, ...row } of await read()) {
    refuseForeign(new Set([ranges[place]!.profileId]), profile_id)
    keys[place]!.push({ ...row, profileId: profile_id, nativeId: native_id })
  }
  return keys.map((list) => list.sort((a, b) => a.seq - b.seq))
}

interface PlacedRow extends KeyRow {
  place: number
}

interface ChangePosition extends ProfileKey {
  seq: number
  /** The last seq that is wanted; without it, everything after `seq`. */
  upTo?: number | undefined
}

/** The statement of `changeKeysAfter` for profiles in one shard. */
export function writeChangeKeys(
  positions: readonly ChangePosition[],
  limit: number,
): { text: string; values: unknown[] } {
  const values = new Values()
  const maxRows = values.add(limit)
  const lists = positions.flatMap(({ shard, profileId, seq, upTo }) => {
    const end = upTo === undefined ? '' : ` and seq <= ${values.add(upTo)}`
    const where = `where shard = ${values.add(shard)} and profile_id = ${values.add(profileId)}
      and seq > ${values.add(seq)}${end} order by seq limit ${maxRows}`
    return [
      `(select profile_id, seq, ${hexId('id')} as id, updated_at as at, types, endpoint, native_id from item ${where})`,
      `(select profile_id, seq, ${hexId('id')}, deleted_at, null::integer, endpoint, native_id from item_tombstone ${where})`,
    ]
  })
  return { text: lists.join(' union all '), values: values.list }
}

interface KeyRow {
  profile_id: string
  seq: number
  id: string
  at: number
  types: number | null
  endpoint: string
  native_id: string
}
