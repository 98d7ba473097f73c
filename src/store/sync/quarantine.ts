import { type Queries, statement } from '#platform/postgres/database.ts'
import { IS_WAITING, NEVER } from './endpoints.ts'
import type { ProfileKey } from './schedule.ts'

/** A record that could not be stored. */
export interface BadRecord {
  /** Of its content: 32 hex digits. */
  id: string
  /** The item that it is a version of, where it has a usable id. */
  itemId: string | undefined
  reason: string
  /** Its JSON, from the beginning. */
  sample: string
  /** The sample is all of it: it can be read again without the service. */
  isWhole: boolean
}

export interface Quarantined extends BadRecord {
  endpoint: string
  /** When it was last met or tried, and how often. */
  seenAt: number
  times: number
}

/** Limit: records of one endpoint of a profile that are kept in quarantine; the oldest go. */
const MAX_QUARANTINED = 100

interface Row {
  endpoint: string
  id: string
  item_id: string | null
  reason: string
  sample: string
  is_whole: boolean
  seen_at: number
  times: number
}

const columns = 'q.endpoint, q.id, q.item_id, q.reason, q.sample, q.is_whole, q.seen_at, q.times'
const insert = statement(
  'quarantine-insert',
  `insert into quarantine (shard, profile_id, endpoint, id, item_id, reason, sample, is_whole, seen_at, times)
   select $1, $2, $3, b.id, b.item_id, b.reason, b.sample, b.is_whole, $4, 1
   from unnest($5::text[], $6::uuid[], $7::text[], $8::text[], $9::boolean[]) as b (id, item_id, reason, sample, is_whole)
   on conflict (shard, profile_id, endpoint, id)
   do update set item_id = excluded.item_id, reason = excluded.reason, seen_at = excluded.seen_at, times = quarantine.times + 1`,
)
const trim = statement(
  'quarantine-trim',
  `delete from quarantine where shard = $1 and profile_id = $2 and endpoint = $3 and id in (
     select id from quarantine where shard = $1 and profile_id = $2 and endpoint = $3 order by seen_at desc, id offset ${MAX_QUARANTINED})`,
)
const release = statement(
  'quarantine-release',
  `delete from quarantine where shard = $1 and profile_id = $2 and endpoint = $3 and (id = any($4) or item_id = any($5::uuid[]))`,
)
const recount = statement(
  'quarantine-count',
  `update endpoint_sync set quarantined = (
     select count(*) from quarantine q where q.shard = $1 and q.profile_id = $2 and q.endpoint = $3)
   where shard = $1 and profile_id = $2 and endpoint = $3`,
)
const ofEndpoint = statement(
  'quarantine-list',
  `select ${columns} from quarantine q where q.shard = $1 and q.profile_id = $2 and q.endpoint = $3 order by q.seen_at desc, q.id`,
)
const newestOf = statement(
  'quarantine-newest',
  `select ${columns.replace('q.sample', 'left(q.sample, $4) as sample')} from (
     select *, row_number() over (partition by endpoint order by seen_at desc, id) as place from quarantine where shard = $1 and profile_id = $2
   ) q where q.place <= $3 order by q.seen_at desc, q.id`,
)
const ofApp = statement(
  'quarantine-of-app',
  `select p.profile_id, p.service, ${columns.replace('q.sample', 'left(q.sample, $6) as sample')}
   from quarantine q join profile_sync p on p.shard = q.shard and p.profile_id = q.profile_id
   where p.app_id = $1 and (p.profile_id, q.endpoint, q.id) > ($2, $3, $4) order by p.profile_id, q.endpoint, q.id limit $5`,
)
// The profiles first, as everywhere: a run that ends meanwhile then sees that its endpoint is due again.
const wakeProfiles = statement(
  'quarantine-wake-profiles',
  `update profile_sync p set next_run_at = case when p.lease_token is null then least(p.next_run_at, $2) else p.next_run_at end
   where p.app_id = $1 and p.next_run_at is not null and exists (
     select 1 from endpoint_sync e where e.shard = p.shard and e.profile_id = p.profile_id and e.quarantined > 0 and e.next_run_at < ${NEVER})`,
)
const askRetry = statement(
  'quarantine-ask-retry',
  `update endpoint_sync e set retry_quarantined = true, next_run_at = case when ${IS_WAITING} then e.next_run_at else least(e.next_run_at, $2) end
   from profile_sync p where p.app_id = $1 and p.shard = e.shard and p.profile_id = e.profile_id and e.quarantined > 0 and e.next_run_at < ${NEVER}`,
)
// What was not whole, or is stored in another version, is asked for at the service, from the beginning.
const endRetry = statement(
  'quarantine-end-retry',
  `update endpoint_sync set retry_quarantined = false, items = items + $4, watermark = case when $5 then null else watermark end,
     walk = case when $5 then null else walk end, seen = case when $5 then null else seen end, etag = case when $5 then null else etag end,
     validator_for = case when $5 then null else validator_for end
   where shard = $1 and profile_id = $2 and endpoint = $3`,
)
const erase = statement('quarantine-erase', 'delete from quarantine where shard = $1 and profile_id = $2')

/** Sets records aside for whoever mends the reader. One that is there already is counted once more. */
export async function quarantineRecords(
  tx: Queries,
  key: ProfileKey,
  endpoint: string,
  records: BadRecord[],
  nowMs: number,
): Promise<void> {
  if (records.length === 0) return
  const distinct = [...new Map(records.map((record) => [record.id, record])).values()]
  const of = [key.shard, key.profileId, endpoint]
  await tx.count(insert, [
    ...of,
    nowMs,
    distinct.map(({ id }) => id),
    distinct.map(({ itemId }) => itemId ?? null),
    distinct.map(({ reason }) => reason),
    distinct.map(({ sample }) => sample),
    distinct.map(({ isWhole }) => isWhole),
  ])
  await tx.count(trim, of)
  await tx.count(recount, of)
}

/** Lets go of records that are stored now, by their content or by the item that is there in a good version. */
export async function releaseRecords(
  tx: Queries,
  key: ProfileKey,
  endpoint: string,
  { ids, itemIds }: { ids: string[]; itemIds: string[] },
): Promise<void> {
  const of = [key.shard, key.profileId, endpoint]
  if ((await tx.count(release, [...of, ids, itemIds])) > 0) await tx.count(recount, of)
}

/** The newest first. */
export async function listQuarantine(queries: Queries, key: ProfileKey, endpoint: string): Promise<Quarantined[]> {
  return (await queries.rows<Row>(ofEndpoint, [key.shard, key.profileId, endpoint])).map(toQuarantined)
}

/** The newest few of each endpoint, their samples cut to so many characters. */
export async function newestQuarantined(
  queries: Queries,
  key: ProfileKey,
  each: number,
  characters: number,
): Promise<Quarantined[]> {
  return (await queries.rows<Row>(newestOf, [key.shard, key.profileId, each, characters])).map(toQuarantined)
}

export interface AppQuarantined extends Quarantined {
  profileId: string
  service: string
}

export interface QuarantinePlace {
  profileId: string
  endpoint: string
  id: string
}

/** All of an app's profiles, a page at a time. */
export async function listAppQuarantine(
  queries: Queries,
  appId: string,
  after: QuarantinePlace,
  limit: number,
  characters: number,
): Promise<AppQuarantined[]> {
  const values = [appId, after.profileId, after.endpoint, after.id, limit, characters]
  const rows = await queries.rows<Row & { profile_id: string; service: string }>(ofApp, values)
  return rows.map((row) => ({ ...toQuarantined(row), profileId: row.profile_id, service: row.service }))
}

/** Has everything of an app's profiles read once more, with the next run of each. Gives how many endpoints that are. */
export async function askForRetry(tx: Queries, appId: string, nowMs: number): Promise<number> {
  await tx.count(wakeProfiles, [appId, nowMs])
  return tx.count(askRetry, [appId, nowMs])
}

/** A retry is over. `reread`: the endpoint is to be read from its beginning. */
export async function endQuarantineRetry(
  tx: Queries,
  key: ProfileKey,
  endpoint: string,
  { added, reread }: { added: number; reread: boolean },
): Promise<void> {
  await tx.count(endRetry, [key.shard, key.profileId, endpoint, added, reread])
}

export async function eraseQuarantine(tx: Queries, key: ProfileKey): Promise<void> {
  await tx.count(erase, [key.shard, key.profileId])
}

function toQuarantined(row: Row): Quarantined {
  return {
    endpoint: row.endpoint,
    id: row.id,
    itemId: row.item_id?.replaceAll('-', '') ?? undefined,
    reason: row.reason,
    sample: row.sample,
    isWhole: row.is_whole,
    seenAt: row.seen_at,
    times: row.times,
  }
}
