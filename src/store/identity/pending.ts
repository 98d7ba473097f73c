import { SHARDS } from '#platform/ids.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { Keyring } from '#platform/sealing.ts'

/** A sign-in under way at a service. */
export interface Pending {
  appId: string
  service: string
  /** Hash of the cookie of the browser that began it. */
  browser: Buffer
  /** JSON text. */
  value: string
  expiresAt: number
}

const insert = statement(
  'pending-insert',
  'insert into pending (shard, hash, app_id, service, browser, sealed, expires_at) values ($1, $2, $3, $4, $5, $6, $7)',
)
const take = statement(
  'pending-take',
  'delete from pending where shard = $1 and hash = $2 returning app_id, service, browser, sealed, expires_at',
)
const purge = statement('pending-purge', 'delete from pending where expires_at < $1')

// Found by the hash of what the service sends back, so the hash says which part.
const shardOf = (hash: Buffer) => hash.readUInt16BE(0) % SHARDS
const cellOf = (hash: Buffer) => ({ table: 'pending', row: hash.toString('hex'), column: 'sealed' })

export async function insertPending(queries: Queries, keyring: Keyring, hash: Buffer, pending: Pending): Promise<void> {
  await queries.count(insert, [
    shardOf(hash),
    hash,
    pending.appId,
    pending.service,
    pending.browser,
    keyring.seal(pending.value, cellOf(hash)),
    pending.expiresAt,
  ])
}

/** Reads and removes, so that a state works once, whatever comes of it. */
export async function takePending(queries: Queries, keyring: Keyring, hash: Buffer): Promise<Pending | undefined> {
  const [row] = await queries.rows<{
    app_id: string
    service: string
    browser: Buffer
    sealed: Buffer
    expires_at: number
  }>(take, [shardOf(hash), hash])
  if (row === undefined) return undefined
  return {
    appId: row.app_id,
    service: row.service,
    browser: row.browser,
    value: keyring.open(row.sealed, cellOf(hash)),
    expiresAt: row.expires_at,
  }
}

export async function purgePending(queries: Queries, nowMs: number): Promise<number> {
  return queries.count(purge, [nowMs])
}
