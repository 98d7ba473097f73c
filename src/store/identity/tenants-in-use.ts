import { type Queries, statement } from '#platform/postgres/database.ts'
import type { ServiceUser } from './service-users.ts'

const endsSo = `exists (select 1 from unnest($endings::text[]) as e (ending) where right(native_id, length(e.ending)) = e.ending)`
const ofProfiles = statement(
  'profile-of-tenants',
  `select 1 as found from profile where app_id = $appId and service = $service and merged_into is null
     and state <> 'needs_auth' and ${endsSo} limit 1`,
)
const ofConsents = statement(
  'consent-of-tenants',
  `select 1 as found from consent where app_id = $appId and service = $service and used_at is null and expires_at >= $nowMs
     and ${endsSo} limit 1`,
)

/** Whether the app has a profile or an unfinished sign-in at one of these tenants: native ids end with `endings`. */
export async function areTenantsInUse(
  queries: Queries,
  { appId, service }: Pick<ServiceUser, 'appId' | 'service'>,
  endings: readonly string[],
  nowMs: number,
): Promise<boolean> {
  const tenants = { appId, service, endings }
  const consents = await queries.rows(ofConsents.with({ ...tenants, nowMs }))
  return consents.length > 0 || (await queries.rows(ofProfiles.with(tenants))).length > 0
}
