import { ApiError } from '#model/errors.ts'
import { findApp } from '#store/apps/apps.ts'
import { auditApp } from '#store/audit.ts'
import type { ProfileKey } from '#store/keys/profile-key.ts'
import {
  askForRetry,
  listAppQuarantine,
  newestQuarantined,
  type Quarantined,
  type QuarantinePosition,
} from '#store/sync/quarantine.ts'
import type { SyncDeps } from '../deps.ts'

/** A record that could not be stored, as shown to an app. */
export interface ShownRecord {
  reason: string
  /** Its JSON, cut off where it is long. */
  sample: string
  at: number
  times: number
}

/**
 * Limit: quarantined records of an endpoint that the progress of a sync shows, the newest; the list for operators has
 * the others.
 */
const MAX_SHOWN = 3
/** Limit: characters of a quarantined record in the progress of a sync; the rest is cut off. */
const MAX_SHOWN_SAMPLE = 200
/** Limit: characters of a quarantined record in the list for operators; the rest is cut off. */
const MAX_LISTED_SAMPLE = 2000

/** The newest few of a profile, by endpoint. */
export async function newestRecords(
  { database }: Pick<SyncDeps, 'database'>,
  key: ProfileKey,
): Promise<Map<string, ShownRecord[]>> {
  const found = await newestQuarantined(database, key, MAX_SHOWN, MAX_SHOWN_SAMPLE)
  const byEndpoint = Map.groupBy(found, ({ endpoint }) => endpoint)
  return new Map([...byEndpoint].map(([endpoint, records]) => [endpoint, records.map(toShown)]))
}

/** For operators: the quarantined records of all profiles of an app, paged. */
export async function appQuarantine(
  { database }: Pick<SyncDeps, 'database'>,
  appId: string,
  after: QuarantinePosition,
  limit: number,
): Promise<(ShownRecord & { profile: string; service: string; endpoint: string; id: string })[]> {
  const found = await listAppQuarantine(database, appId, after, limit, MAX_LISTED_SAMPLE)
  return found.map((record) => ({
    profile: record.profileId,
    service: record.service,
    endpoint: record.endpoint,
    id: record.id,
    ...toShown(record),
  }))
}

/**
 * For operators who fixed a connector: the next runs read every quarantined record of the app again. Returns the number
 * of endpoints.
 */
export async function retryAppQuarantine(
  { database, clock }: Pick<SyncDeps, 'database' | 'clock'>,
  appId: string,
  actor: string,
): Promise<number> {
  const now = clock.now()
  if ((await findApp(database, appId)) === undefined) throw new ApiError('not_found', `There is no app ${appId}.`)
  // Before the requests: after a crash between them, the log says that a retry was requested, and it can be requested again.
  await auditApp(database, appId, { at: now, actor, action: 'app.retry_quarantine' })
  return askForRetry(database, appId, now)
}

function toShown({ reason, sample, seenAt, times }: Quarantined): ShownRecord {
  return { reason, sample, at: seenAt, times }
}
