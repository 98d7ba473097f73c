import type { ProfileKey } from '#store/keys/profile-key.ts'
import { type AppFault, type FaultPosition, listAppFaults, listFaults } from '#store/sync/reader-faults.ts'
import type { SyncDeps } from '../deps.ts'

/** A field that a connector failed to read, as shown to an app. */
export interface ShownFault {
  field: string
  message: string
  /** The kind of the record, and its id at the service. */
  kind: string
  record: string
  at: number
  times: number
}

/**
 * Limit: faults of an endpoint that the progress of a sync shows, the newest; the list for operators has the others.
 */
const MAX_SHOWN = 3

/** The newest few of a profile, by endpoint. */
export async function newestFaults(
  { database }: Pick<SyncDeps, 'database'>,
  key: ProfileKey,
): Promise<Map<string, ShownFault[]>> {
  const byEndpoint = Map.groupBy(await listFaults(database, key), ({ endpoint }) => endpoint)
  return new Map([...byEndpoint].map(([endpoint, faults]) => [endpoint, faults.slice(0, MAX_SHOWN).map(toShown)]))
}

/** For operators: the faults of all profiles of an app, paged. */
export async function appFaults(
  { database }: Pick<SyncDeps, 'database'>,
  appId: string,
  after: FaultPosition,
  limit: number,
): Promise<(ShownFault & { profile: string; service: string; endpoint: string; item: string })[]> {
  const found = await listAppFaults(database, appId, after, limit)
  return found.map((fault) => ({
    profile: fault.profileId,
    service: fault.service,
    endpoint: fault.endpoint,
    item: fault.itemId,
    ...toShown(fault),
  }))
}

function toShown({
  field,
  message,
  kind,
  nativeId,
  seenAt,
  times,
}: Omit<AppFault, 'profileId' | 'service'>): ShownFault {
  return { field, message, kind, record: nativeId, at: seenAt, times }
}
