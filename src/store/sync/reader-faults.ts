import { uuidArray } from '#platform/postgres/binary-arrays.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { ProfileKey } from './schedule.ts'

/** A field of a record that the connector's reader could not read. */
export interface FoundFault {
  /** The item that the record became, without the field. */
  itemId: string
  nativeId: string
  kind: string
  field: string
  message: string
}

export interface KeptFault extends FoundFault {
  endpoint: string
  seenAt: number
  /** How often it was met. */
  times: number
}

/** What readers lost: how many fields in all, and the newest of them. */
export interface Faults {
  count: number
  latest: FoundFault[]
}

/** Limit: faults of a connector's readers that are kept of one endpoint of a profile; the oldest go, and are still counted. */
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
const clear = statement(
  'fault-clear',
  `delete from reader_fault f where f.shard = $1 and f.profile_id = $2 and f.endpoint = $3 and f.item_id = any($4::uuid[])
     and not exists (select 1 from unnest($5::uuid[], $6::text[]) as still (id, field) where still.id = f.item_id and still.field = f.field)`,
)
const keep = statement(
  'fault-keep',
  `insert into reader_fault (shard, profile_id, endpoint, item_id, field, kind, native_id, message, seen_at, times)
   select $1, $2, $3, n.id, n.field, n.kind, n.native_id, n.message, $4, 1
   from unnest($5::uuid[], $6::text[], $7::text[], $8::text[], $9::text[]) as n (id, field, kind, native_id, message)
   on conflict (shard, profile_id, endpoint, item_id, field)
   do update set message = excluded.message, seen_at = excluded.seen_at, times = reader_fault.times + 1`,
)
const trim = statement(
  'fault-trim',
  `delete from reader_fault where shard = $1 and profile_id = $2 and endpoint = $3 and (item_id, field) in (
     select item_id, field from reader_fault where shard = $1 and profile_id = $2 and endpoint = $3
     order by seen_at desc, item_id, field offset ${MAX_FAULTS})`,
)
const count = statement(
  'fault-count',
  `update endpoint_sync set faults = case when exists (
       select 1 from reader_fault f where f.shard = $1 and f.profile_id = $2 and f.endpoint = $3) then faults + $4 else 0 end
   where shard = $1 and profile_id = $2 and endpoint = $3`,
)
const ofProfile = statement(
  'fault-of-profile',
  `select ${columns} from reader_fault f where f.shard = $1 and f.profile_id = $2 order by f.seen_at desc, f.item_id, f.field`,
)
const ofApp = statement(
  'fault-of-app',
  `select p.profile_id, p.service, ${columns} from reader_fault f join profile_sync p on p.shard = f.shard and p.profile_id = f.profile_id
   where p.app_id = $1 and (p.profile_id, f.endpoint, replace(f.item_id::text, '-', '') collate "C", f.field) > ($2, $3, $4, $5)
   order by p.profile_id, f.endpoint, replace(f.item_id::text, '-', '') collate "C", f.field limit $6`,
)
const erase = statement('fault-erase', 'delete from reader_fault where shard = $1 and profile_id = $2')

/**
 * Keeps what was lost of a page, and forgets what is not lost any more: `itemIds` are those that were read or removed with it. Where
 * nothing is left, the count of lost fields begins anew.
 */
export async function keepFaults(
  tx: Queries,
  key: ProfileKey,
  endpoint: string,
  { count: lost, latest }: Faults,
  itemIds: string[],
  nowMs: number,
): Promise<void> {
  const of = [key.shard, key.profileId, endpoint]
  const distinct = [...new Map(latest.map((fault) => [`${fault.itemId} ${fault.field}`, fault])).values()]
  const ids = uuidArray(distinct.map(({ itemId }) => itemId))
  const fields = distinct.map(({ field }) => field)
  await tx.count(clear, [...of, uuidArray(itemIds), ids, fields])
  if (distinct.length > 0) {
    const [kinds, natives, messages] = [
      distinct.map(({ kind }) => kind),
      distinct.map(({ nativeId }) => nativeId),
      distinct.map(({ message }) => message),
    ]
    await tx.count(keep, [...of, nowMs, ids, fields, kinds, natives, messages])
    await tx.count(trim, of)
  }
  await tx.count(count, [...of, lost])
}

/** The newest first. */
export async function listFaults(queries: Queries, key: ProfileKey): Promise<KeptFault[]> {
  return (await queries.rows<Row>(ofProfile, [key.shard, key.profileId])).map(toFault)
}

export interface AppFault extends KeptFault {
  profileId: string
  service: string
}

export interface FaultPlace {
  profileId: string
  endpoint: string
  itemId: string
  field: string
}

/** All of an app's profiles, a page at a time. */
export async function listAppFaults(
  queries: Queries,
  appId: string,
  after: FaultPlace,
  limit: number,
): Promise<AppFault[]> {
  const values = [appId, after.profileId, after.endpoint, after.itemId, after.field, limit]
  const rows = await queries.rows<Row & { profile_id: string; service: string }>(ofApp, values)
  return rows.map((row) => ({ ...toFault(row), profileId: row.profile_id, service: row.service }))
}

export async function eraseFaults(tx: Queries, key: ProfileKey): Promise<void> {
  await tx.count(erase, [key.shard, key.profileId])
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
