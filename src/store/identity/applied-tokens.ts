import { SHARDS } from '#platform/crypto/ids.ts'
import type { Keyring } from '#platform/crypto/sealing.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { type Batch, deleteBatch, deleteSome } from '../delete-in-batches.ts'
import { keepApp } from '../keys/app-locks.ts'

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
const insertColumns = `insert into applied_token (shard, hash, app_id, sealed, lease_until, expires_at)
   values ($shard, $hash, $appId, $sealed, $leaseUntil, $expiresAt)`
const claim = statement(
  'applied-claim',
  `${insertColumns}
   on conflict (shard, hash) do update set lease_until = excluded.lease_until, expires_at = excluded.expires_at
     where applied_token.lease_until < $nowMs
   returning sealed`,
)
const store = statement(
  'applied-store',
  `${insertColumns}
   on conflict (shard, hash) do update set sealed = excluded.sealed, lease_until = excluded.lease_until,
     expires_at = excluded.expires_at`,
)
const remove = statement('applied-delete', 'delete from applied_token where shard = $shard and hash = $hash')
const purge = statement('applied-purge', deleteSome('applied_token', 'shard, hash', 'expires_at < $nowMs'))

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
  tx: Queries,
  keyring: Keyring,
  { hash, appId, value, leaseUntil, expiresAt }: AppliedToken,
  nowMs: number,
): Promise<string | undefined> {
  // Nothing is stored once the app is being deleted: it would stay after everything else is erased.
  if ((await keepApp(tx, appId)) !== 'active') return undefined
  const sealed = keyring.seal(value, cellOf(hash))
  const values = { shard: shardOf(hash), hash, appId, sealed, leaseUntil, expiresAt, nowMs }
  const [row] = await tx.rows<Row>(claim.with(values))
  return row && keyring.open(row.sealed, cellOf(hash))
}

export async function storeApplied(tx: Queries, keyring: Keyring, applied: AppliedToken): Promise<void> {
  const { hash, appId, value, leaseUntil, expiresAt } = applied
  if ((await keepApp(tx, appId)) !== 'active') return
  const sealed = keyring.seal(value, cellOf(hash))
  await tx.count(store.with({ shard: shardOf(hash), hash, appId, sealed, leaseUntil, expiresAt }))
}

export async function deleteApplied(queries: Queries, hash: Buffer): Promise<void> {
  await queries.count(remove.with({ shard: shardOf(hash), hash }))
}

export function purgeApplied(queries: Queries, nowMs: number): Promise<Batch> {
  return deleteBatch(queries, purge.with({ nowMs }))
}
