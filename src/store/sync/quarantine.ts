import { type Database, execute, type Queries, statement } from '#platform/postgres/database.ts'
import type { ProfileKey } from '../keys/profile-key.ts'
import { IS_WAITING, NEVER } from './endpoints.ts'
import { shardsOfApp } from './shards-of-app.ts'

/** A record that could not be stored. */
export interface BadRecord {
  /** The hash of its content: 32 hex digits. */
  id: string
  /** The item of which it is a version, where it has a usable id. */
  itemId: string | undefined
  reason: string
  /** The beginning of its JSON. */
  sample: string
  /** The sample is the whole record: it can be read again without the service. */
  isWhole: boolean
}

export interface Quarantined extends BadRecord {
  endpoint: string
  /** When it was last found or retried, and how often. */
  seenAt: number
  times: number
}

/** Limit: records of one endpoint of a profile that are kept in quarantine; the oldest are removed. */
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
const columnsWithShortSample =
  'q.endpoint, q.id, q.item_id, q.reason, left(q.sample, $sampleChars) as sample, q.is_whole, q.seen_at, q.times'
const isEndpoint = 'shard = $shard and profile_id = $profileId and endpoint = $endpoint'
const insert = statement(
  'quarantine-insert',
  `insert into quarantine (shard, profile_id, endpoint, id, item_id, reason, sample, is_whole, seen_at, times)
   select $shard, $profileId, $endpoint, b.id, b.item_id, b.reason, b.sample, b.is_whole, $nowMs, 1
   from unnest($ids::text[], $itemIds::uuid[], $reasons::text[], $samples::text[], $areWhole::boolean[])
     as b (id, item_id, reason, sample, is_whole)
   on conflict (shard, profile_id, endpoint, id) do update set item_id = excluded.item_id, reason = excluded.reason,
     seen_at = excluded.seen_at, times = quarantine.times + 1`,
)
const removeOldest = statement(
  'quarantine-trim',
  `delete from quarantine where ${isEndpoint} and id in (
     select id from quarantine where ${isEndpoint} order by seen_at desc, id offset ${MAX_QUARANTINED})`,
)
const release = statement(
  'quarantine-release',
  `delete from quarantine where ${isEndpoint} and (id = any($ids) or item_id = any($itemIds::uuid[]))`,
)
const updateCount = statement(
  'quarantine-count',
  `update endpoint_sync set quarantined = (
     select count(*) from quarantine q
     where q.shard = $shard and q.profile_id = $profileId and q.endpoint = $endpoint)
   where ${isEndpoint}`,
)
const findOfEndpoint = statement(
  'quarantine-list',
  `select ${columns} from quarantine q
   where q.shard = $shard and q.profile_id = $profileId and q.endpoint = $endpoint order by q.seen_at desc, q.id`,
)
const findNewest = statement(
  'quarantine-newest',
  `select ${columnsWithShortSample} from (
     select *, row_number() over (partition by endpoint order by seen_at desc, id) as position from quarantine
     where shard = $shard and profile_id = $profileId
   ) q where q.position <= $perEndpoint order by q.seen_at desc, q.id`,
)
const findOfApp = statement(
  'quarantine-of-app',
  `select p.profile_id, p.service, ${columnsWithShortSample}
   from quarantine q join profile_sync p on p.shard = q.shard and p.profile_id = q.profile_id
   where p.app_id = $appId and (p.profile_id, q.endpoint, q.id) > ($profileId, $endpoint, $id)
   order by p.profile_id, q.endpoint, q.id limit $limit`,
)
// Profiles are updated before their endpoints, as everywhere: a run that ends meanwhile then sees that its endpoint is
// due again.
const makeProfilesDue = statement(
  'quarantine-wake-profiles',
  `update profile_sync p set
     next_run_at = case when p.lease_token is null then least(p.next_run_at, $nowMs) else p.next_run_at end
   where p.shard = $shard and p.app_id = $appId and p.next_run_at is not null and exists (
     select 1 from endpoint_sync e
     where e.shard = $shard and e.shard = p.shard and e.profile_id = p.profile_id and e.quarantined > 0 and e.next_run_at < ${NEVER})`,
)
const requestRetry = statement(
  'quarantine-ask-retry',
  `update endpoint_sync e set retry_quarantined = true,
     next_run_at = case when ${IS_WAITING} then e.next_run_at else least(e.next_run_at, $nowMs) end
   from profile_sync p
   where e.shard = $shard and p.shard = $shard and p.app_id = $appId and p.shard = e.shard
     and p.profile_id = e.profile_id and e.quarantined > 0 and e.next_run_at < ${NEVER}`,
)
// A record whose sample was cut, or that is stored in another version, is read from the service again: the
// endpoint restarts.
const endRetry = statement(
  'quarantine-end-retry',
  `update endpoint_sync set retry_quarantined = false, items = items + $added,
     watermark = case when $reread then null else watermark end, walk = case when $reread then null else walk end,
     seen = case when $reread then null else seen end, etag = case when $reread then null else etag end,
     validator_for = case when $reread then null else validator_for end
   where ${isEndpoint}`,
)
const erase = statement('quarantine-erase', 'delete from quarantine where shard = $shard and profile_id = $profileId')

/** Keeps records until their reader is repaired. One that is already in quarantine is counted once more. */
export async function quarantineRecords(
  tx: Queries,
  key: ProfileKey,
  endpoint: string,
  records: BadRecord[],
  nowMs: number,
): Promise<void> {
  if (records.length === 0) return
  const distinct = [...new Map(records.map((record) => [record.id, record])).values()]
  const of = { shard: key.shard, profileId: key.profileId, endpoint }
  await execute(
    tx,
    insert.with({
      ...of,
      nowMs,
      ids: distinct.map(({ id }) => id),
      itemIds: distinct.map(({ itemId }) => itemId ?? null),
      reasons: distinct.map(({ reason }) => reason),
      samples: distinct.map(({ sample }) => sample),
      areWhole: distinct.map(({ isWhole }) => isWhole),
    }),
  )
  await execute(tx, removeOldest.with(of))
  await execute(tx, updateCount.with(of))
}

/** Removes records that are stored now, by the hash of their content or by the item that has a readable version. */
export async function releaseRecords(
  tx: Queries,
  key: ProfileKey,
  endpoint: string,
  { ids, itemIds }: { ids: string[]; itemIds: string[] },
): Promise<void> {
  const of = { shard: key.shard, profileId: key.profileId, endpoint }
  if ((await tx.count(release.with({ ...of, ids, itemIds }))) > 0) await tx.count(updateCount.with(of))
}

/** The newest first. */
export async function listQuarantine(queries: Queries, key: ProfileKey, endpoint: string): Promise<Quarantined[]> {
  return (await queries.rows<Row>(findOfEndpoint.with({ ...key, endpoint }))).map(toQuarantined)
}

/** The newest records of each endpoint, their samples cut to `sampleChars`. */
export async function newestQuarantined(
  queries: Queries,
  key: ProfileKey,
  perEndpoint: number,
  sampleChars: number,
): Promise<Quarantined[]> {
  return (await queries.rows<Row>(findNewest.with({ ...key, perEndpoint, sampleChars }))).map(toQuarantined)
}

export interface AppQuarantined extends Quarantined {
  profileId: string
  service: string
}

/** Where a page of the app's quarantine begins. */
export interface QuarantinePosition {
  profileId: string
  endpoint: string
  id: string
}

/** The quarantine of all profiles of an app, one page. */
export async function listAppQuarantine(
  queries: Queries,
  appId: string,
  after: QuarantinePosition,
  limit: number,
  sampleChars: number,
): Promise<AppQuarantined[]> {
  const values = { ...after, appId, limit, sampleChars }
  const rows = await queries.rows<Row & { profile_id: string; service: string }>(findOfApp.with(values))
  return rows.map((row) => ({ ...toQuarantined(row), profileId: row.profile_id, service: row.service }))
}

/**
 * Requests a retry of everything in the quarantine of an app's profiles, a transaction for each shard; it can be repeated.
 * Returns the number of endpoints.
 */
export async function askForRetry(database: Database, appId: string, nowMs: number): Promise<number> {
  let endpoints = 0
  for (const shard of await shardsOfApp(database, appId))
    endpoints += await database.transaction(async (tx) => {
      await tx.count(makeProfilesDue.with({ shard, appId, nowMs }))
      return tx.count(requestRetry.with({ shard, appId, nowMs }))
    })
  return endpoints
}

/** Ends a retry. With `reread`, the endpoint is read from the beginning. */
export async function endQuarantineRetry(
  tx: Queries,
  key: ProfileKey,
  endpoint: string,
  { added, reread }: { added: number; reread: boolean },
): Promise<void> {
  await tx.count(endRetry.with({ ...key, endpoint, added, reread }))
}

export async function eraseQuarantine(tx: Queries, key: ProfileKey): Promise<void> {
  await tx.count(erase.with(key))
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
