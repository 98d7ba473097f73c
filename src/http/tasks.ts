import type { removeDestination } from '#flows/push/manage/destinations.ts'
import type { Draft, TestResult, tryDestination } from '#flows/push/manage/dry-run.ts'
import type { Verified } from '#flows/push/repair/verify.ts'
import type { Destination } from '#model/destination.ts'

/** Calls to a destination's server for a request. They run in a worker process, so that what the server sends cannot stall requests. */
export interface Tasks {
  /** Stops when the signal is aborted. */
  tryDestination(destination: Destination, signal: AbortSignal): ReturnType<typeof tryDestination>
  /** Tests a destination that is not stored. */
  tryDraft(draft: Draft, signal: AbortSignal): Promise<TestResult>
  verifyDestination(
    destination: Destination,
    options: { repair: boolean; after?: string | undefined },
    actor: string,
  ): Promise<Verified>
  removeDestination(destination: Destination, dropTables: boolean, actor: string): ReturnType<typeof removeDestination>
}
