import { type Queries, statement } from '#platform/postgres/database.ts'
import type { Keyring } from '#platform/sealing.ts'

export interface StoredCredential {
  /** JSON text, as it was put in. */
  value: string
  version: number
  expiresAt: number | undefined
  refreshUntil: number
  updatedAt: number
}

interface Row {
  sealed: Buffer
  version: number
  expires_at: number | null
  refresh_until: number
  updated_at: number
}

export interface CredentialKey {
  shard: number
  profileId: string
}

const find = statement(
  'credential-find',
  'select sealed, version, expires_at, refresh_until, updated_at from credential where shard = $1 and profile_id = $2',
)
const put = statement(
  'credential-put',
  `insert into credential (shard, profile_id, sealed, version, expires_at, refresh_until, updated_at) values ($1, $2, $3, 1, $4, 0, $5)
   on conflict (shard, profile_id) do update set sealed = excluded.sealed, version = credential.version + 1,
     expires_at = excluded.expires_at, refresh_until = 0, updated_at = excluded.updated_at`,
)
const lease = statement(
  'credential-lease',
  'update credential set refresh_until = $4 where shard = $1 and profile_id = $2 and version = $3 and refresh_until < $5',
)
const renew = statement(
  'credential-renew',
  `update credential set sealed = $4, version = version + 1, expires_at = $5, refresh_until = 0, updated_at = $6
   where shard = $1 and profile_id = $2 and version = $3`,
)
const release = statement(
  'credential-release',
  'update credential set refresh_until = 0 where shard = $1 and profile_id = $2 and version = $3',
)
const remove = statement('credential-delete', 'delete from credential where shard = $1 and profile_id = $2')

const cellOf = ({ shard, profileId }: CredentialKey) => ({
  table: 'credential',
  row: `${shard}/${profileId}`,
  column: 'sealed',
})

export async function findCredential(
  queries: Queries,
  keyring: Keyring,
  key: CredentialKey,
): Promise<StoredCredential | undefined> {
  const [row] = await queries.rows<Row>(find, [key.shard, key.profileId])
  if (row === undefined) return undefined
  return {
    value: keyring.open(row.sealed, cellOf(key)),
    version: row.version,
    expiresAt: row.expires_at ?? undefined,
    refreshUntil: row.refresh_until,
    updatedAt: row.updated_at,
  }
}

export async function putCredential(
  tx: Queries,
  keyring: Keyring,
  key: CredentialKey,
  value: string,
  expiresAt: number | undefined,
  nowMs: number,
): Promise<void> {
  await tx.count(put, [key.shard, key.profileId, keyring.seal(value, cellOf(key)), expiresAt ?? null, nowMs])
}

/** True for the one caller that may refresh this version until the lease ends. */
export async function leaseRefresh(
  queries: Queries,
  key: CredentialKey,
  version: number,
  untilMs: number,
  nowMs: number,
): Promise<boolean> {
  return (await queries.count(lease, [key.shard, key.profileId, version, untilMs, nowMs])) > 0
}

/** False when somebody wrote a newer one meanwhile; theirs stays. */
export async function renewCredential(
  queries: Queries,
  keyring: Keyring,
  key: CredentialKey,
  version: number,
  value: string,
  expiresAt: number | undefined,
  nowMs: number,
): Promise<boolean> {
  return (
    (await queries.count(renew, [
      key.shard,
      key.profileId,
      version,
      keyring.seal(value, cellOf(key)),
      expiresAt ?? null,
      nowMs,
    ])) > 0
  )
}

export async function releaseRefresh(queries: Queries, key: CredentialKey, version: number): Promise<void> {
  await queries.count(release, [key.shard, key.profileId, version])
}

export async function deleteCredential(tx: Queries, key: CredentialKey): Promise<void> {
  await tx.count(remove, [key.shard, key.profileId])
}
