import { shardIn } from '#platform/crypto/ids.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { type Batch, deleteBatch, deleteInBatches, deleteSome } from '../delete-in-batches.ts'
import { rowsOfShards } from '../each-shard.ts'
import type { ServiceUser } from './service-users.ts'

/** The request of a service to delete what is stored of one of its users. */
export interface DeletionRequest {
  shard: number
  /** Of the confirmation code. */
  hash: Buffer
  appId: string
  service: string
  /** Undefined once everything is deleted. */
  nativeId: string | undefined
  requestedAt: number
  erasedAt: number | undefined
  finishedAt: number | undefined
  /** Erased profiles whose destinations have not confirmed yet. */
  profileIds: string[]
  /** How many profiles were erased. */
  profiles: number
}

interface Row {
  shard: number
  hash: Buffer
  app_id: string
  service: string
  native_id: string | null
  requested_at: number
  erased_at: number | null
  finished_at: number | null
  profile_ids: string[]
  profiles: number
}

const columns = 'shard, hash, app_id, service, native_id, requested_at, erased_at, finished_at, profile_ids, profiles'
const isOne = 'shard = $shard and hash = $hash'
const insert = statement(
  'deletion-request-insert',
  `insert into deletion_request (shard, hash, app_id, service, native_id, requested_at, profile_ids, profiles, lease_until)
   values ($shard, $hash, $appId, $service, $nativeId, $nowMs, '{}', 0, 0) on conflict (shard, hash) do nothing`,
)
const find = statement('deletion-request-find', `select ${columns} from deletion_request where ${isOne}`)
const findDue = statement(
  'deletion-request-due',
  `select shard, hash from deletion_request where finished_at is null and lease_until <= $nowMs
   order by requested_at limit $limit`,
)
const lease = statement(
  'deletion-request-lease',
  `update deletion_request set lease_until = $leaseUntilMs
   where ${isOne} and finished_at is null and lease_until <= $nowMs returning ${columns}`,
)
const addErased = statement(
  'deletion-request-erased-some',
  `update deletion_request set profile_ids = profile_ids || $profileIds::text[], profiles = profiles + $count
   where ${isOne}`,
)
const setErased = statement(
  'deletion-request-erased',
  `update deletion_request set erased_at = coalesce(erased_at, $nowMs), native_id = null where ${isOne}`,
)
const setFinished = statement(
  'deletion-request-finish',
  `update deletion_request set finished_at = $nowMs, profile_ids = '{}' where ${isOne}`,
)
const purge = statement(
  'deletion-request-purge',
  deleteSome('deletion_request', 'shard, hash', 'finished_at < $before'),
)
const removeOfApp = statement(
  'deletion-request-drop',
  deleteSome('deletion_request', 'shard, hash', 'app_id = $appId and finished_at is null'),
)
const findAccounts = statement(
  'profile-accounts-of-service-user',
  `select distinct account_id from profile
   where app_id = $appId and service = $service and native_id = $nativeId and merged_into is null limit 100`,
)
const countOpenErasures = statement(
  'deletion-request-open',
  `select count(*) as n from delivery_cursor c join destination d on d.id = c.destination_id
   where c.shard = $shard and c.profile_id = any($profileIds) and c.erase and d.state <> 'disabled'`,
)

/** A repeated request changes nothing. */
export async function insertDeletionRequest(
  queries: Queries,
  key: { shard: number; hash: Buffer },
  { appId, service, nativeId }: ServiceUser,
  nowMs: number,
): Promise<void> {
  await queries.count(insert.with({ ...key, appId, service, nativeId, nowMs }))
}

export async function findDeletionRequest(
  queries: Queries,
  { shard, hash }: { shard: number; hash: Buffer },
): Promise<DeletionRequest | undefined> {
  const [row] = await queries.rows<Row>(find.with({ shard, hash }))
  return row && toRequest(row)
}

/** The oldest requests that nobody works on, of any shard. None is locked: `leaseDeletionRequest` decides. */
export async function dueDeletionRequests(
  queries: Queries,
  nowMs: number,
  limit: number,
): Promise<Pick<DeletionRequest, 'shard' | 'hash'>[]> {
  return queries.rows(findDue.with({ nowMs, limit }))
}

/** Undefined when another process has the lease, or has finished. */
export async function leaseDeletionRequest(
  queries: Queries,
  { shard, hash }: Pick<DeletionRequest, 'shard' | 'hash'>,
  { leaseUntilMs, nowMs }: { leaseUntilMs: number; nowMs: number },
): Promise<DeletionRequest | undefined> {
  const [row] = await queries.rows<Row>(lease.with({ shard, hash, leaseUntilMs, nowMs }))
  return row && toRequest(row)
}

/** In the transaction that erases the profiles. */
export async function addErasedProfiles(
  tx: Queries,
  { shard, hash }: Pick<DeletionRequest, 'shard' | 'hash'>,
  profileIds: string[],
): Promise<void> {
  await tx.count(addErased.with({ shard, hash, profileIds, count: profileIds.length }))
}

export async function markRequestErased(
  queries: Queries,
  { shard, hash }: Pick<DeletionRequest, 'shard' | 'hash'>,
  nowMs: number,
): Promise<void> {
  await queries.count(setErased.with({ shard, hash, nowMs }))
}

export async function finishDeletionRequest(
  queries: Queries,
  { shard, hash }: Pick<DeletionRequest, 'shard' | 'hash'>,
  nowMs: number,
): Promise<void> {
  await queries.count(setFinished.with({ shard, hash, nowMs }))
}

/** Accounts that have a profile of this service user: all of them, also those that `service_user` no longer lists. */
export async function accountsOfServiceUser(queries: Queries, user: ServiceUser): Promise<string[]> {
  const { appId, service, nativeId } = user
  const rows = await queries.rows<{ account_id: string }>(findAccounts.with({ appId, service, nativeId }))
  return rows.map(({ account_id: id }) => id)
}

/** Erasures that destinations have not confirmed. */
export async function openErasures(queries: Queries, profileIds: readonly string[]): Promise<number> {
  const byShard = Map.groupBy(profileIds, shardIn)
  const rows = await rowsOfShards<{ n: number }>(queries, [...byShard.keys()], (shard) =>
    countOpenErasures.with({ shard, profileIds: byShard.get(shard) ?? [] }),
  )
  return rows.reduce((sum, { n }) => sum + n, 0)
}

export function purgeDeletionRequests(queries: Queries, before: number): Promise<Batch> {
  return deleteBatch(queries, purge.with({ before }))
}

/** With the app everything is erased; what is finished stays for the page of its status. */
export async function dropDeletionRequests(queries: Queries, appId: string): Promise<void> {
  await deleteInBatches(queries, removeOfApp.with({ appId }))
}

function toRequest(row: Row): DeletionRequest {
  return {
    shard: row.shard,
    hash: row.hash,
    appId: row.app_id,
    service: row.service,
    nativeId: row.native_id ?? undefined,
    requestedAt: row.requested_at,
    erasedAt: row.erased_at ?? undefined,
    finishedAt: row.finished_at ?? undefined,
    profileIds: row.profile_ids,
    profiles: row.profiles,
  }
}
