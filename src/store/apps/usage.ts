import type { Amount } from '#model/quotas.ts'
import { shardOf } from '#platform/ids.ts'
import { firstOf } from '#platform/list-ends.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { ProfileKey } from '../sync/schedule.ts'

/** An account's profiles, also those that only keep items, with what is stored of each. */
export interface ProfileUsage extends Amount {
  shard: number
  profileId: string
  service: string
  nativeId: string
}

const ofAccount = statement(
  'usage-account',
  `select p.shard, p.id, p.service, p.native_id, s.items, s.bytes from account a
   join profile p on p.shard = any(a.shards) and p.account_id = a.id
   join profile_sync s on s.shard = p.shard and s.profile_id = p.id
   where a.shard = $1 and a.id = $2 order by p.service, p.native_id, p.id`,
)
const ofApp = statement(
  'usage-app',
  `select coalesce(sum(items), 0)::bigint as items, coalesce(sum(bytes), 0)::bigint as bytes,
     coalesce(sum(items) filter (where service = $2), 0)::bigint as own_items,
     coalesce(sum(bytes) filter (where service = $2), 0)::bigint as own_bytes from profile_sync where app_id = $1`,
)
const stale = statement(
  'usage-stale',
  `select shard, profile_id from profile_sync where recounted_at is null or recounted_at < $1
   order by recounted_at nulls first limit $2`,
)
// One snapshot for the number of the newest change and for all items.
const count = statement(
  'usage-count',
  `select s.seq, c.items, c.bytes from profile_sync s, lateral (
     select count(*) as items, coalesce(sum(octet_length(i.data::text)), 0)::bigint as bytes
     from item i where i.shard = $1 and i.profile_id = $2) c
   where s.shard = $1 and s.profile_id = $2`,
)
// Whoever changed items meanwhile took a new number, and this count is no longer true.
const correct = statement(
  'usage-correct',
  `update profile_sync s set items = $4, bytes = $5, recounted_at = $6
   from (select items, bytes from profile_sync where shard = $1 and profile_id = $2) before
   where s.shard = $1 and s.profile_id = $2 and s.seq = $3 returning before.items <> $4 or before.bytes <> $5 as wrong`,
)

export async function accountUsage(queries: Queries, accountId: string): Promise<ProfileUsage[]> {
  const rows = await queries.rows<{
    shard: number
    id: string
    service: string
    native_id: string
    items: number
    bytes: number
  }>(ofAccount, [shardOf(accountId) ?? -1, accountId])
  return rows.map(({ id, native_id, ...row }) => ({ ...row, profileId: id, nativeId: native_id }))
}

export function totalOf(amounts: Amount[]): Amount {
  return amounts.reduce<Amount>((sum, { items, bytes }) => ({ items: sum.items + items, bytes: sum.bytes + bytes }), {
    items: 0,
    bytes: 0,
  })
}

/** Everything of an app, and of it what belongs to the service `ownService`. */
export async function sumApp(
  queries: Queries,
  appId: string,
  ownService: string,
): Promise<{ total: Amount; own: Amount }> {
  const row = firstOf(
    await queries.rows<{ items: number; bytes: number; own_items: number; own_bytes: number }>(ofApp, [
      appId,
      ownService,
    ]),
  )
  return {
    total: { items: row.items, bytes: row.bytes },
    own: { items: row.own_items, bytes: row.own_bytes },
  }
}

/** Profiles that were never counted from their items, then those whose count is oldest. */
export async function staleProfiles(queries: Queries, beforeMs: number, limit: number): Promise<ProfileKey[]> {
  const rows = await queries.rows<{ shard: number; profile_id: string }>(stale, [beforeMs, limit])
  return rows.map(({ shard, profile_id }) => ({ shard, profileId: profile_id }))
}

export interface Recounted {
  /** The count was not what the items say, and is now. */
  wrong: boolean
  items: number
}

/** Undefined when the profile changed meanwhile, or is gone: another time, then. */
export async function recountProfile(
  queries: Queries,
  { shard, profileId }: ProfileKey,
  nowMs: number,
): Promise<Recounted | undefined> {
  const [now] = await queries.rows<{ seq: number; items: number; bytes: number }>(count, [shard, profileId])
  if (now === undefined) return undefined
  const values = [shard, profileId, now.seq, now.items, now.bytes, nowMs]
  const [done] = await queries.rows<{ wrong: boolean }>(correct, values)
  return done && { wrong: done.wrong, items: now.items }
}
