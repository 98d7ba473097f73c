import type { Connection } from '#destinations/contract.ts'
import type { Destination } from '#model/apps/destination.ts'
import type { Filter } from '../filter.ts'

/** What all profiles of one run into a destination share. */
export interface DeliveryRun {
  destination: Destination
  connection: Connection
  filter: Filter
  /** Aborts when the process stops; the run ends after the batch that it writes. */
  signal: AbortSignal
}
