import { SHARDS } from '#platform/ids.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { Keyring } from '#platform/sealing.ts'

/** A refresh token that an app applied. */
export interface AppliedToken {
  hash: Buffer
  appId: string
  /** JSON text. */
  value: string
  leaseUntil: number
  expiresAt: number
}

interface Row {
  sealed: Buffer
}

const find = statement('applied-find', 'select sealed from applied_token where shard = $shard and hash = $hash')
// Nothing is stored once the app is being deleted: it would stay after everything else is erased.
const ofApp = '(select id from app where id = $appId and deleting_at is null for key share) app'
const claim = statement(
  'applied-claim',
  `insert into applied_token (shard, hash, app_id, sealed, lease_until, expires_at)
   select $shard::smallint, $hash::bytea, id, $sealed::bytea, $leaseUntil::bigint, $expiresAt::bigint
   from ${ofApp}
   on conflict (shard, hash) do update set lease_until = excluded.lease_until, expires_at = excluded.expires_at
     where applied_token.lease_until < $nowMs
   returning sealed`,
)
const store = statement(
  'applied-store',
  `insert into applied_token (shard, hash, app_id, sealed, lease_until, expires_at)
   select $shard::smallint, $hash::bytea, id, $sealed::bytea, $leaseUntil::bigint, $expiresAt::bigint from ${ofApp}
   on conflict (shard, hash) do update set sealed = excluded.sealed, lease_until = excluded.lease_until,
     expires_at = excluded.expires_at`,
)
const remove = statement('applied-delete', 'delete from applied_token where shard = $shard and hash = $hash')
const purge = statement('applied-purge', 'delete from applied_token where expires_at < $nowMs')

// The row is found by the hash of a request, so the shard is derived from the hash.
const shardOf = (hash: Buffer) => hash.readUInt16BE(0) % SHARDS
const cellOf = (hash: Buffer) => ({ table: 'applied_token', row: hash.toString('hex'), column: 'sealed' })

export async function findApplied(queries: Queries, keyring: Keyring, hash: Buffer): Promise<string | undefined> {
  const [row] = await queries.rows<Row>(find.with({ shard: shardOf(hash), hash }))
  return row && keyring.open(row.sealed, cellOf(hash))
}

/**
 * What is stored for this request, or was just inserted, for the only caller that may go on with it until the lease ends;
 * undefined for all others.
 */
export async function claimApplied(
  queries: Queries,
  keyring: Keyring,
  { hash, appId, value, leaseUntil, expiresAt }: AppliedToken,
  nowMs: number,
): Promise<string | undefined> {
  const sealed = keyring.seal(value, cellOf(hash))
  const values = { shard: shardOf(hash), hash, appId, sealed, leaseUntil, expiresAt, nowMs }
  const [row] = await queries.rows<Row>(claim.with(values))
  return row && keyring.open(row.sealed, cellOf(hash))
}

export async function storeApplied(queries: Queries, keyring: Keyring, applied: AppliedToken): Promise<void> {
  const { hash, appId, value, leaseUntil, expiresAt } = applied
  const sealed = keyring.seal(value, cellOf(hash))
  await queries.count(store.with({ shard: shardOf(hash), hash, appId, sealed, leaseUntil, expiresAt }))
}

export async function deleteApplied(queries: Queries, hash: Buffer): Promise<void> {
  await queries.count(remove.with({ shard: shardOf(hash), hash }))
}

export async function purgeApplied(queries: Queries, nowMs: number): Promise<number> {
  return queries.count(purge.with({ nowMs }))
}
