import type { removeDestination } from '#flows/push/manage/destinations.ts'
import type { Draft, TestResult, tryDestination } from '#flows/push/manage/dry-run.ts'
import type { Verified } from '#flows/push/manage/verify.ts'
import type { FileDeps } from '#flows/uploads/file-deps.ts'
import type { Destination } from '#model/apps/destination.ts'

/** Work for a request on what others made: responses of destinations, uploaded files. It runs in a worker process, so that it cannot stall requests. */
export interface Tasks {
  readUpload: FileDeps['tasks']['readUpload']
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
