import type { ReaderFault } from '#kit/read/read-field.ts'
import type { Log } from '#platform/telemetry/log.ts'

/** A field of stored records that a connector's reader could not read for a request. */
export interface MapFaults {
  service: string
  endpoint: string
  field: string
  n: number
}

// Counts of this process since it started. The number of services, endpoints and fields is small.
const counts = new Map<string, MapFaults>()

/**
 * Counts a fault, and logs the first one of each field. A sync stores its faults; here the record was stored before, and its reader
 * fails only now, e.g. because the connector changed.
 */
export function noteMapFault(
  log: Log | undefined,
  service: string,
  endpoint: string,
  { field, message }: ReaderFault,
): void {
  const key = `${service}/${endpoint}/${field}`
  const known = counts.get(key)
  if (known !== undefined) {
    known.n += 1
    return
  }
  counts.set(key, { service, endpoint, field, n: 1 })
  log?.warn('a connector could not read a field of a stored record', { service, endpoint, field, error: message })
}

export function mapFaults(): MapFaults[] {
  return [...counts.values()]
}
