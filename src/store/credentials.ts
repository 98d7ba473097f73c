import type { Keyring } from '#base/sealing.ts'
import { type Queries, statement } from './database.ts'

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
  part: number
  profileId: string
}

const find = statement(
  'credential-find',
  'select sealed, version, expires_at, refresh_until, updated_at from credential where part = $1 and profile_id = $2',
)
const put = statement(
  'credential-put',
  `insert into credential (part, profile_id, sealed, version, expires_at, refresh_until, updated_at) values ($1, $2, $3, 1, $4, 0, $5)
   on conflict (part, profile_id) do update set sealed = excluded.sealed, version = credential.version + 1,
     expires_at = excluded.expires_at, refresh_until = 0, updated_at = excluded.updated_at`,
)
const lease = statement(
  'credential-lease',
  'update credential set refresh_until = $4 where part = $1 and profile_id = $2 and version = $3 and refresh_until < $5',
)
const renew = statement(
  'credential-renew',
  `update credential set sealed = $4, version = version + 1, expires_at = $5, refresh_until = 0, updated_at = $6
   where part = $1 and profile_id = $2 and version = $3`,
)
const release = statement(
  'credential-release',
  'update credential set refresh_until = 0 where part = $1 and profile_id = $2 and version = $3',
)
const remove = statement('credential-delete', 'delete from credential where part = $1 and profile_id = $2')

const place = ({ part, profileId }: CredentialKey) => ({
  table: 'credential',
  row: `${part}/${profileId}`,
  column: 'sealed',
})

export async function findCredential(
  queries: Queries,
  keyring: Keyring,
  key: CredentialKey,
): Promise<StoredCredential | undefined> {
  const [row] = await queries.rows<Row>(find, [key.part, key.profileId])
  if (row === undefined) return undefined
  return {
    value: keyring.open(row.sealed, place(key)),
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
  await tx.count(put, [key.part, key.profileId, keyring.seal(value, place(key)), expiresAt ?? null, nowMs])
}

/** True for the one caller that may refresh this version until the lease ends. */
export async function leaseRefresh(
  queries: Queries,
  key: CredentialKey,
  version: number,
  untilMs: number,
  nowMs: number,
): Promise<boolean> {
  return (await queries.count(lease, [key.part, key.profileId, version, untilMs, nowMs])) > 0
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
      key.part,
      key.profileId,
      version,
      keyring.seal(value, place(key)),
      expiresAt ?? null,
      nowMs,
    ])) > 0
  )
}

export async function releaseRefresh(queries: Queries, key: CredentialKey, version: number): Promise<void> {
  await queries.count(release, [key.part, key.profileId, version])
}

export async function deleteCredential(tx: Queries, key: CredentialKey): Promise<void> {
  await tx.count(remove, [key.part, key.profileId])
}
