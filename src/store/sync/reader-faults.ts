import { uuidArray } from '#platform/postgres/binary-arrays.ts'
import { execute, type Queries, statement } from '#platform/postgres/database.ts'
import { hexId } from '../keys/item-ids.ts'
import type { ProfileKey } from '../keys/profile-key.ts'

/** A field of a record that the connector's reader could not read. */
export interface FoundFault {
  /** The item that the record was stored as, without the field. */
  itemId: string
  nativeId: string
  kind: string
  field: string
  message: string
}

export interface KeptFault extends FoundFault {
  endpoint: string
  seenAt: number
  /** How often it was found. */
  times: number
}

/** Fields that readers could not read: how many in all, and the newest of them. */
export interface Faults {
  count: number
  latest: FoundFault[]
}

/** Limit: reader faults that are kept for one endpoint of a profile; the oldest are removed and stay counted. */
export const MAX_FAULTS = 10

export const NO_FAULTS: Faults = { count: 0, latest: [] }

export function joinFaults(one: Faults, other: Faults): Faults {
  return { count: one.count + other.count, latest: [...one.latest, ...other.latest].slice(-MAX_FAULTS) }
}

interface Row {
  endpoint: string
  item_id: string
  field: string
  kind: string
  native_id: string
  message: string
  seen_at: number
  times: number
}

const columns = 'f.endpoint, f.item_id, f.field, f.kind, f.native_id, f.message, f.seen_at, f.times'
const isEndpoint = 'shard = $shard and profile_id = $profileId and endpoint = $endpoint'
const removeRepaired = statement(
  'fault-clear',
  `delete from reader_fault f
   where f.shard = $shard and f.profile_id = $profileId and f.endpoint = $endpoint
     and f.item_id = any($itemIds::uuid[]) and not exists (
       select 1 from unnest($faultyIds::uuid[], $fields::text[]) as faulty (id, field)
       where faulty.id = f.item_id and faulty.field = f.field)`,
)
const upsert = statement(
  'fault-keep',
  `insert into reader_fault (shard, profile_id, endpoint, item_id, field, kind, native_id, message, seen_at, times)
   select $shard, $profileId, $endpoint, n.id, n.field, n.kind, n.native_id, n.message, $nowMs, 1
   from unnest($faultyIds::uuid[], $fields::text[], $kinds::text[], $nativeIds::text[], $messages::text[])
     as n (id, field, kind, native_id, message)
   on conflict (shard, profile_id, endpoint, item_id, field)
   do update set message = excluded.message, seen_at = excluded.seen_at, times = reader_fault.times + 1`,
)
const removeOldest = statement(
  'fault-trim',
  `delete from reader_fault where ${isEndpoint} and (item_id, field) in (
     select item_id, field from reader_fault where ${isEndpoint}
     order by seen_at desc, item_id, field offset ${MAX_FAULTS})`,
)
const updateCount = statement(
  'fault-count',
  `update endpoint_sync set faults = case when exists (
       select 1 from reader_fault f where f.shard = $shard and f.profile_id = $profileId and f.endpoint = $endpoint)
     then faults + $added else 0 end
   where ${isEndpoint}`,
)
const findOfProfile = statement(
  'fault-of-profile',
  `select ${columns} from reader_fault f where f.shard = $shard and f.profile_id = $profileId
   order by f.seen_at desc, f.item_id, f.field`,
)
const position = `p.profile_id, f.endpoint, ${hexId('f.item_id')} collate "C", f.field`
const findOfApp = statement(
  'fault-of-app',
  `select p.profile_id, p.service, ${columns}
   from reader_fault f join profile_sync p on p.shard = f.shard and p.profile_id = f.profile_id
   where p.app_id = $appId and (${position}) > ($profileId, $endpoint, $itemId, $field)
   order by ${position} limit $limit`,
)
const erase = statement('fault-erase', 'delete from reader_fault where shard = $shard and profile_id = $profileId')

/**
 * Stores the faults of a page and removes those that no longer occur: `itemIds` are the items that were read or removed
 * with it. When no fault remains, the count of faults restarts at 0.
 */
export async function keepFaults(
  tx: Queries,
  key: ProfileKey,
  endpoint: string,
  { count: added, latest }: Faults,
  itemIds: string[],
  nowMs: number,
): Promise<void> {
  const of = { shard: key.shard, profileId: key.profileId, endpoint }
  const distinct = [...new Map(latest.map((fault) => [`${fault.itemId} ${fault.field}`, fault])).values()]
  const faultyIds = uuidArray(distinct.map(({ itemId }) => itemId))
  const fields = distinct.map(({ field }) => field)
  await execute(tx, removeRepaired.with({ ...of, itemIds: uuidArray(itemIds), faultyIds, fields }))
  if (distinct.length > 0) {
    const [kinds, nativeIds, messages] = [
      distinct.map(({ kind }) => kind),
      distinct.map(({ nativeId }) => nativeId),
      distinct.map(({ message }) => message),
    ]
    await execute(tx, upsert.with({ ...of, nowMs, faultyIds, fields, kinds, nativeIds, messages }))
    await execute(tx, removeOldest.with(of))
  }
  await execute(tx, updateCount.with({ ...of, added }))
}

/** The newest first. */
export async function listFaults(queries: Queries, key: ProfileKey): Promise<KeptFault[]> {
  return (await queries.rows<Row>(findOfProfile.with(key))).map(toFault)
}

export interface AppFault extends KeptFault {
  profileId: string
  service: string
}

/** Where a page of the app's faults begins. */
export interface FaultPosition {
  profileId: string
  endpoint: string
  itemId: string
  field: string
}

/** The faults of all profiles of an app, one page. */
export async function listAppFaults(
  queries: Queries,
  appId: string,
  after: FaultPosition,
  limit: number,
): Promise<AppFault[]> {
  const values = { ...after, appId, limit }
  const rows = await queries.rows<Row & { profile_id: string; service: string }>(findOfApp.with(values))
  return rows.map((row) => ({ ...toFault(row), profileId: row.profile_id, service: row.service }))
}

export async function eraseFaults(tx: Queries, key: ProfileKey): Promise<void> {
  await tx.count(erase.with(key))
}

function toFault(row: Row): KeptFault {
  return {
    endpoint: row.endpoint,
    itemId: row.item_id.replaceAll('-', ''),
    nativeId: row.native_id,
    kind: row.kind,
    field: row.field,
    message: row.message,
    seenAt: row.seen_at,
    times: row.times,
  }
}
