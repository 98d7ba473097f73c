import type { Keyring } from '#platform/crypto/sealing.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

export interface StoredCredential {
  /** JSON text, as it was stored. */
  value: string
  version: number
  expiresAt: number | undefined
  refreshUntil: number
  updatedAt: number
}

/** What is stored, where the caller has read it already. Throws a `SealError` if it is damaged. */
export type KnownCredential = () => StoredCredential | undefined

export interface CredentialRow {
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
  `select sealed, version, expires_at, refresh_until, updated_at from credential
   where shard = $shard and profile_id = $profileId`,
)
const upsert = statement(
  'credential-put',
  `insert into credential (shard, profile_id, sealed, version, expires_at, refresh_until, updated_at)
   values ($shard, $profileId, $sealed, 1, $expiresAt, 0, $updatedAt)
   on conflict (shard, profile_id) do update set sealed = excluded.sealed, version = credential.version + 1,
     expires_at = excluded.expires_at, refresh_until = 0, updated_at = excluded.updated_at`,
)
const lease = statement(
  'credential-lease',
  `update credential set refresh_until = $refreshUntil
   where shard = $shard and profile_id = $profileId and version = $version and refresh_until < $nowMs`,
)
const renew = statement(
  'credential-renew',
  `update credential set sealed = $sealed, version = version + 1, expires_at = $expiresAt, refresh_until = 0,
     updated_at = $updatedAt
   where shard = $shard and profile_id = $profileId and version = $version`,
)
const release = statement(
  'credential-release',
  `update credential set refresh_until = 0
   where shard = $shard and profile_id = $profileId and version = $version`,
)
const remove = statement('credential-delete', 'delete from credential where shard = $shard and profile_id = $profileId')

/** Where the sealed content of a credential belongs. */
export const sealedCredentialCell = ({ shard, profileId }: CredentialKey) => ({
  table: 'credential',
  row: `${shard}/${profileId}`,
  column: 'sealed',
})

export async function findCredential(
  queries: Queries,
  keyring: Keyring,
  key: CredentialKey,
): Promise<StoredCredential | undefined> {
  const [row] = await queries.rows<CredentialRow>(find.with({ shard: key.shard, profileId: key.profileId }))
  return row && openCredential(keyring, key, row)
}

export function openCredential(keyring: Keyring, key: CredentialKey, row: CredentialRow): StoredCredential {
  return {
    value: keyring.open(row.sealed, sealedCredentialCell(key)),
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
  const { shard, profileId } = key
  const sealed = keyring.seal(value, sealedCredentialCell(key))
  await tx.count(upsert.with({ shard, profileId, sealed, expiresAt: expiresAt ?? null, updatedAt: nowMs }))
}

/** True for the only caller that may refresh this version until the lease ends. */
export async function leaseRefresh(
  queries: Queries,
  { shard, profileId }: CredentialKey,
  version: number,
  refreshUntil: number,
  nowMs: number,
): Promise<boolean> {
  return (await queries.count(lease.with({ shard, profileId, version, refreshUntil, nowMs }))) > 0
}

/** False when a newer version was stored meanwhile; that one is kept. */
export async function renewCredential(
  queries: Queries,
  keyring: Keyring,
  key: CredentialKey,
  version: number,
  value: string,
  expiresAt: number | undefined,
  nowMs: number,
): Promise<boolean> {
  const { shard, profileId } = key
  const sealed = keyring.seal(value, sealedCredentialCell(key))
  const values = { shard, profileId, version, sealed, expiresAt: expiresAt ?? null, updatedAt: nowMs }
  return (await queries.count(renew.with(values))) > 0
}

export async function releaseRefresh(
  queries: Queries,
  { shard, profileId }: CredentialKey,
  version: number,
): Promise<void> {
  await queries.count(release.with({ shard, profileId, version }))
}

export async function deleteCredential(tx: Queries, { shard, profileId }: CredentialKey): Promise<void> {
  await tx.count(remove.with({ shard, profileId }))
}
