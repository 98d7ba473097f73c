import type { Profile } from '#model/accounts/profile.ts'
import { parseSyncRules, type SyncRules } from '#model/sync/sync-rules.ts'
import type { Keyring } from '#platform/crypto/sealing.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { type OpenServiceKey, openServiceKey, type ServiceKeyRow } from '../apps/service-keys.ts'
import { PROFILE_COLUMNS, PROFILE_WITH_SCHEDULE, type ProfileRow, toProfile } from '../identity/profiles.ts'
import type { ProfileKey } from '../keys/profile-key.ts'

/** What a run needs to know before it reads any endpoint. */
export interface RunContext {
  profile: Profile
  /** The rules of the app. */
  rules: SyncRules
  /** The app's own key for the service. */
  serviceKey: OpenServiceKey | undefined
}

interface Row extends ProfileRow {
  sync: unknown
  service_key: string | null
  service_secret: Buffer
  service_scope: string | null
  service_overrides: Record<string, string>
  service_updated_at: number
}

// One statement instead of three: most runs find nothing new, and cost as much as the statements around the calls.
const find = statement(
  'sync-context',
  `select ${PROFILE_COLUMNS}, app.sync, k.key as service_key, k.secret as service_secret, k.scope as service_scope,
     k.overrides as service_overrides, k.updated_at as service_updated_at
   from ${PROFILE_WITH_SCHEDULE} left join app on app.id = p.app_id
   left join service_key k on k.app_id = p.app_id and k.service = p.service
   where p.shard = $shard and p.id = $profileId`,
)

export async function findRunContext(
  queries: Queries,
  keyring: Keyring,
  key: ProfileKey,
): Promise<RunContext | undefined> {
  const [row] = await queries.rows<Row>(find.with({ ...key }))
  if (row === undefined) return undefined
  const profile = toProfile(row)
  const stored = keyRowOf(row)
  return {
    profile,
    rules: parseSyncRules(row.sync ?? {}),
    serviceKey: stored && openServiceKey(keyring, profile.appId, stored),
  }
}

function keyRowOf(row: Row): ServiceKeyRow | undefined {
  if (row.service_key === null) return undefined
  return {
    service: row.service,
    key: row.service_key,
    secret: row.service_secret,
    scope: row.service_scope,
    overrides: row.service_overrides,
    updated_at: row.service_updated_at,
  }
}
