import { type Queries, statement } from '#platform/postgres/database.ts'
import { type Batch, deleteBatch, deleteSome } from '../delete-in-batches.ts'
import type { ProfileKey } from '../keys/profile-key.ts'

/** A link by which a person signs in again to one profile. */
export interface ReconnectLink {
  /** The shard of the profile. */
  shard: number
  hash: Buffer
  appId: string
  profileId: string
  redirectUri: string
  scope: string | undefined
  expiresAt: number
}

/** Limit (sign-in): links to reconnect one profile that are valid at the same time; a further one ends the oldest. */
const MAX_LINKS = 10

const insert = statement(
  'reconnect-link-insert',
  `insert into reconnect_link (shard, hash, app_id, profile_id, redirect_uri, scope, expires_at)
   values ($shard, $hash, $appId, $profileId, $redirectUri, $scope, $expiresAt)`,
)
const removeOldest = statement(
  'reconnect-link-limit',
  `delete from reconnect_link where shard = $shard and profile_id = $profileId and hash in (
     select hash from reconnect_link where shard = $shard and profile_id = $profileId
     order by expires_at desc, hash offset ${MAX_LINKS})`,
)
const find = statement(
  'reconnect-link-find',
  `select app_id, profile_id, redirect_uri, scope, expires_at from reconnect_link where shard = $shard and hash = $hash`,
)
const take = statement('reconnect-link-take', 'delete from reconnect_link where shard = $shard and hash = $hash')
const removeOfProfile = statement(
  'reconnect-link-remove',
  'delete from reconnect_link where shard = $shard and profile_id = $profileId',
)
const purge = statement('reconnect-link-purge', deleteSome('reconnect_link', 'shard, hash', 'expires_at < $before'))

export async function insertReconnectLink(tx: Queries, link: ReconnectLink): Promise<void> {
  const { shard, profileId, scope = null } = link
  await tx.count(insert.with({ ...link, scope }))
  await tx.count(removeOldest.with({ shard, profileId }))
}

interface Row {
  app_id: string
  profile_id: string
  redirect_uri: string
  scope: string | null
  expires_at: number
}

/** Also returns one that has expired. */
export async function findReconnectLink(
  queries: Queries,
  shard: number,
  hash: Buffer,
): Promise<ReconnectLink | undefined> {
  const [row] = await queries.rows<Row>(find.with({ shard, hash }))
  if (row === undefined) return undefined
  const { app_id: appId, profile_id: profileId, redirect_uri: redirectUri, scope, expires_at: expiresAt } = row
  return { shard, hash, appId, profileId, redirectUri, scope: scope ?? undefined, expiresAt }
}

/** False when the link was used before, also by a concurrent request. */
export async function takeReconnectLink(tx: Queries, shard: number, hash: Buffer): Promise<boolean> {
  return (await tx.count(take.with({ shard, hash }))) > 0
}

/** Ends all links to a profile. */
export async function removeReconnectLinks(tx: Queries, { shard, profileId }: ProfileKey): Promise<void> {
  await tx.count(removeOfProfile.with({ shard, profileId }))
}

export function purgeReconnectLinks(queries: Queries, before: number): Promise<Batch> {
  return deleteBatch(queries, purge.with({ before }))
}
