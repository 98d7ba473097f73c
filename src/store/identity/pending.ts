import { SHARDS } from '#platform/crypto/ids.ts'
import type { Keyring } from '#platform/crypto/sealing.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { type Batch, deleteBatch, deleteSome } from '../delete-in-batches.ts'

/** A sign-in that was started and has not returned from the service yet. */
export interface Pending {
  appId: string
  service: string
  /** Hash of the cookie of the browser that began it. */
  browser: Buffer
  /** JSON text. */
  value: string
  expiresAt: number
}

interface Row {
  app_id: string
  service: string
  browser: Buffer
  sealed: Buffer
  expires_at: number
}

const insert = statement(
  'pending-insert',
  `insert into pending (shard, hash, app_id, service, browser, sealed, expires_at)
   values ($shard, $hash, $appId, $service, $browser, $sealed, $expiresAt)`,
)
const claim = statement(
  'pending-claim',
  `insert into pending (shard, hash, app_id, service, browser, sealed, expires_at)
   values ($shard, $hash, $appId, $service, $browser, $sealed, $expiresAt)
   on conflict (shard, hash) do nothing`,
)
const put = statement(
  'pending-put',
  `insert into pending (shard, hash, app_id, service, browser, sealed, expires_at)
   values ($shard, $hash, $appId, $service, $browser, $sealed, $expiresAt)
   on conflict (shard, hash) do update set sealed = excluded.sealed`,
)
const deleteReturning = statement(
  'pending-take',
  `delete from pending where shard = $shard and hash = $hash
   returning app_id, service, browser, sealed, expires_at`,
)
const find = statement(
  'pending-find',
  `select app_id, service, browser, sealed, expires_at from pending where shard = $shard and hash = $hash`,
)
const replace = statement(
  'pending-replace',
  `update pending set sealed = $sealed where shard = $shard and hash = $hash`,
)
const purge = statement('pending-purge', deleteSome('pending', 'shard, hash', 'expires_at < $nowMs'))

// The row is found by the hash of the state that the service returns, so the shard is derived from the hash.
const shardOf = (hash: Buffer) => hash.readUInt16BE(0) % SHARDS
const cellOf = (hash: Buffer) => ({ table: 'pending', row: hash.toString('hex'), column: 'sealed' })

export async function insertPending(queries: Queries, keyring: Keyring, hash: Buffer, pending: Pending): Promise<void> {
  const { appId, service, browser, value, expiresAt } = pending
  const sealed = keyring.seal(value, cellOf(hash))
  await queries.count(insert.with({ shard: shardOf(hash), hash, appId, service, browser, sealed, expiresAt }))
}

/** Inserts the row, or replaces its value. */
export async function putPending(queries: Queries, keyring: Keyring, hash: Buffer, pending: Pending): Promise<void> {
  const { appId, service, browser, value, expiresAt } = pending
  const sealed = keyring.seal(value, cellOf(hash))
  await queries.count(put.with({ shard: shardOf(hash), hash, appId, service, browser, sealed, expiresAt }))
}

/** True for the first caller that inserts this row. */
export async function claimPending(
  queries: Queries,
  keyring: Keyring,
  hash: Buffer,
  pending: Pending,
): Promise<boolean> {
  const { appId, service, browser, value, expiresAt } = pending
  const sealed = keyring.seal(value, cellOf(hash))
  const row = { shard: shardOf(hash), hash, appId, service, browser, sealed, expiresAt }
  return (await queries.count(claim.with(row))) > 0
}

/** Reads and deletes the row, so that a state works only once, even when the sign-in fails. */
export async function takePending(queries: Queries, keyring: Keyring, hash: Buffer): Promise<Pending | undefined> {
  const [row] = await queries.rows<Row>(deleteReturning.with({ shard: shardOf(hash), hash }))
  return row && toPending(keyring, hash, row)
}

/** Reads the row and leaves it, for a page that may be reloaded. */
export async function findPending(queries: Queries, keyring: Keyring, hash: Buffer): Promise<Pending | undefined> {
  const [row] = await queries.rows<Row>(find.with({ shard: shardOf(hash), hash }))
  return row && toPending(keyring, hash, row)
}

/** False when the row is gone meanwhile. */
export async function replacePending(
  queries: Queries,
  keyring: Keyring,
  hash: Buffer,
  value: string,
): Promise<boolean> {
  const sealed = keyring.seal(value, cellOf(hash))
  return (await queries.count(replace.with({ shard: shardOf(hash), hash, sealed }))) > 0
}

function toPending(keyring: Keyring, hash: Buffer, row: Row): Pending {
  return {
    appId: row.app_id,
    service: row.service,
    browser: row.browser,
    value: keyring.open(row.sealed, cellOf(hash)),
    expiresAt: row.expires_at,
  }
}

export function purgePending(queries: Queries, nowMs: number): Promise<Batch> {
  return deleteBatch(queries, purge.with({ nowMs }))
}
