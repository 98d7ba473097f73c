import { type AppFault, type FaultPosition, listAppFaults, listFaults } from '#store/sync/reader-faults.ts'
import type { ProfileKey } from '#store/sync/schedule.ts'
import type { SyncDeps } from './deps.ts'

/** A field that a connector's reader could not read, as an app sees it. */
export interface ShownFault {
  field: string
  message: string
  /** What kind of record it is, and its id at the service. */
  kind: string
  record: string
  at: number
  times: number
}

/** Limit: faults of an endpoint that the progress of a sync shows, the newest; the list for operators has the others. */
const MAX_SHOWN = 3

/** The newest few, by endpoint. */
export async function newestFaults(
  { database }: Pick<SyncDeps, 'database'>,
  key: ProfileKey,
): Promise<Map<string, ShownFault[]>> {
  const byEndpoint = Map.groupBy(await listFaults(database, key), ({ endpoint }) => endpoint)
  return new Map([...byEndpoint].map(([endpoint, faults]) => [endpoint, faults.slice(0, MAX_SHOWN).map(shown)]))
}

/** For operators: faults over all profiles of an app, a page at a time. */
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
    ...shown(fault),
  }))
}

function shown({ field, message, kind, nativeId, seenAt, times }: Omit<AppFault, 'profileId' | 'service'>): ShownFault {
  return { field, message, kind, record: nativeId, at: seenAt, times }
}
