import type { Keyring } from '#platform/crypto/sealing.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { type Batch, deleteBatch, deleteSome } from '../delete-in-batches.ts'

/** A response that is returned again for the same key. */
export interface KeptResponse {
  status: number
  headers: Record<string, string>
  body: string
}

/** What is stored for a key: which request it was first used for, and the response if there is one. */
export interface KeyState {
  fingerprint: Buffer
  leaseUntil: number
  /** Undefined while the request runs, or if its process died. */
  response: KeptResponse | undefined
}

export interface KeyClaim {
  hash: Buffer
  appId: string | undefined
  fingerprint: Buffer
  /** Random: names this execution of the request. */
  claim: string
  leaseUntil: number
  expiresAt: number
}

interface Row {
  fingerprint: Buffer
  lease_until: number
  status: number | null
  sealed: Buffer | null
}

// An expired row counts as absent. A row without a response can be claimed again once its lease has ended, by the same request.
const claimKey = statement(
  'idempotency-claim',
  `insert into idempotency_key (hash, app_id, fingerprint, claim, lease_until, expires_at)
   values ($hash, $appId, $fingerprint, $claim, $leaseUntil, $expiresAt)
   on conflict (hash) do update set app_id = excluded.app_id, fingerprint = excluded.fingerprint, claim = excluded.claim,
     lease_until = excluded.lease_until, expires_at = excluded.expires_at, status = null, sealed = null
   where idempotency_key.expires_at <= $nowMs
     or (idempotency_key.status is null and idempotency_key.lease_until <= $nowMs
       and idempotency_key.fingerprint = excluded.fingerprint)
   returning claim`,
)
const find = statement(
  'idempotency-find',
  'select fingerprint, lease_until, status, sealed from idempotency_key where hash = $hash and expires_at > $nowMs',
)
const isOwn = 'hash = $hash and claim = $claim and status is null'
const renew = statement('idempotency-renew', `update idempotency_key set lease_until = $leaseUntil where ${isOwn}`)
const keep = statement(
  'idempotency-keep',
  `update idempotency_key set status = $status, sealed = $sealed, expires_at = $expiresAt where ${isOwn}`,
)
const release = statement('idempotency-release', `delete from idempotency_key where ${isOwn}`)
const purge = statement('idempotency-purge', deleteSome('idempotency_key', 'hash', 'expires_at <= $nowMs'))

const cellOf = (hash: Buffer) => ({ table: 'idempotency_key', row: hash.toString('hex'), column: 'sealed' })

/** True if this execution has the key now; false if another one has or had it. */
export async function claimIdempotencyKey(queries: Queries, claim: KeyClaim, nowMs: number): Promise<boolean> {
  const rows = await queries.rows(claimKey.with({ ...claim, appId: claim.appId ?? null, nowMs }))
  return rows.length > 0
}

export async function findIdempotencyKey(
  queries: Queries,
  keyring: Keyring,
  hash: Buffer,
  nowMs: number,
): Promise<KeyState | undefined> {
  const [row] = await queries.rows<Row>(find.with({ hash, nowMs }))
  if (row === undefined) return undefined
  const { fingerprint, lease_until: leaseUntil, status, sealed } = row
  if (status === null || sealed === null) return { fingerprint, leaseUntil, response: undefined }
  const kept = JSON.parse(keyring.open(sealed, cellOf(hash))) as Omit<KeptResponse, 'status'>
  return { fingerprint, leaseUntil, response: { status, ...kept } }
}

/** False if the lease has ended and another execution has the key. */
export async function renewIdempotencyKey(
  queries: Queries,
  { hash, claim }: Pick<KeyClaim, 'hash' | 'claim'>,
  leaseUntil: number,
): Promise<boolean> {
  return (await queries.count(renew.with({ hash, claim, leaseUntil }))) > 0
}

export async function keepResponse(
  queries: Queries,
  keyring: Keyring,
  { hash, claim, expiresAt }: Pick<KeyClaim, 'hash' | 'claim' | 'expiresAt'>,
  { status, headers, body }: KeptResponse,
): Promise<boolean> {
  const sealed = keyring.seal(JSON.stringify({ headers, body }), cellOf(hash))
  return (await queries.count(keep.with({ hash, claim, status, sealed, expiresAt }))) > 0
}

/** Forgets a key whose request had no lasting response, so that it can be sent again at once. */
export async function releaseIdempotencyKey(
  queries: Queries,
  { hash, claim }: Pick<KeyClaim, 'hash' | 'claim'>,
): Promise<void> {
  await queries.count(release.with({ hash, claim }))
}

export function purgeIdempotencyKeys(queries: Queries, nowMs: number): Promise<Batch> {
  return deleteBatch(queries, purge.with({ nowMs }))
}
