import type { ReaderFault } from '#kit/read-item.ts'
import type { Log } from '#platform/telemetry/log.ts'

/** A field of stored records that a connector's reader could not read when somebody asked for it. */
export interface MapFaults {
  service: string
  endpoint: string
  field: string
  n: number
}

// Of this process since it started. Connectors are few, and so are their fields.
const counts = new Map<string, MapFaults>()

/**
 * Syncing keeps what its readers threw; here the record is stored already, and was read well when it came or before its connector
 * changed. It is counted, and told once for each field.
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
