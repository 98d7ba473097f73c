import type { removeDestination } from '#flows/push/manage/destinations.ts'
import type { tryDestination } from '#flows/push/manage/dry-run.ts'
import type { Verified } from '#flows/push/repair/verify.ts'
import type { Destination } from '#model/destination.ts'

/** What a request asks of a destination's server. It runs in a worker process: what that server sends cannot stall other requests. */
export interface Tasks {
  /** Ends with the signal. */
  tryDestination(destination: Destination, signal: AbortSignal): ReturnType<typeof tryDestination>
  verifyDestination(
    destination: Destination,
    options: { repair: boolean; after?: string | undefined },
    actor: string,
  ): Promise<Verified>
  removeDestination(destination: Destination, dropTables: boolean, actor: string): ReturnType<typeof removeDestination>
}
