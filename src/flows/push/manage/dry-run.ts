import { DeliveryError, type Finding } from '#destinations/contract.ts'
import { type Destination, type DestinationSecrets, FEED_KIND } from '#model/apps/destination.ts'
import { lastOf } from '#platform/formats/list-ends.ts'
import { findDuplicate, listAppProfiles } from '#store/identity/profiles.ts'
import { readableAlone } from '#store/identity/readable-profiles.ts'
import { countMatching } from '#store/items/match.ts'
import type { DeliverDeps } from '../deps.ts'
import { filterOf, pathsFor } from '../filter.ts'
import { requireSecrets } from '../secrets.ts'
import { type HintedFinding, withHints } from './hints.ts'

/** Limit: milliseconds for testing one destination. Then the test ends as failed. */
const MAX_TEST_MS = 50_000
/** Limit: time for counting the items that a filter matches; then the count is reported as not exact. */
const MAX_COUNTING_MS = 5000
const PAGE_SIZE = 200

export interface DryRun {
  /** Profiles that the filter can match items of. */
  profiles: number
  items: number
  /** False when counting took too long: then the figures are lower bounds. */
  exact: boolean
}

export interface TestResult {
  checks: HintedFinding[]
  matches: DryRun
}

/** Connects, checks privileges and counts what would be delivered. Leaves nothing behind, and ends when `signal` aborts. */
export async function tryDestination(
  deps: DeliverDeps,
  destination: Destination,
  signal?: AbortSignal,
): Promise<TestResult> {
  const secrets = await requireSecrets(deps.keyring, deps.database, destination.id)
  return tryDraft(deps, { destination, secrets }, signal)
}

/** A destination that is not stored. */
export interface Draft {
  destination: Destination
  secrets: DestinationSecrets
}

export async function tryDraft(
  deps: DeliverDeps,
  { destination, secrets }: Draft,
  signal?: AbortSignal,
): Promise<TestResult> {
  const [checks, matches] = await Promise.all([
    checkConnection(deps, destination, secrets, signal),
    countMatches(deps, destination),
  ])
  return { checks: destination.kind === FEED_KIND ? checks : withHints(destination.kind, checks), matches }
}

async function checkConnection(
  deps: DeliverDeps,
  destination: Destination,
  secrets: DestinationSecrets,
  signal: AbortSignal | undefined,
): Promise<Finding[]> {
  const connection = deps.connections.kindOf(destination.kind).open(deps, destination, secrets)
  const ended = AbortSignal.any([AbortSignal.timeout(MAX_TEST_MS), ...(signal === undefined ? [] : [signal])])
  const timedOut = Promise.withResolvers<Finding[]>()
  const reportTimeout = () =>
    timedOut.resolve([{ check: 'time', ok: false, detail: `not done after ${MAX_TEST_MS / 1000} seconds` }])
  ended.addEventListener('abort', reportTimeout)
  if (ended.aborted) reportTimeout()
  try {
    return await Promise.race([connection.test(), timedOut.promise])
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    return [{ check: 'connect', ok: false, detail: error.message }]
  } finally {
    ended.removeEventListener('abort', reportTimeout)
    // After a timeout the driver may still wait for its last request, so closing is not awaited.
    const closed = connection.close()
    if (ended.aborted)
      closed.catch((error: unknown) => deps.log.debug('a connection did not close', { kind: destination.kind, error }))
    else await closed
  }
}

/** Counts the items that the filter of a destination matches, as far as the time allows. */
export async function countMatches(
  deps: DeliverDeps,
  destination: Pick<Destination, 'appId' | 'filter'>,
): Promise<DryRun> {
  const filter = filterOf(deps, destination)
  const untilMs = performance.now() + MAX_COUNTING_MS
  const found: DryRun = { profiles: 0, items: 0, exact: true }
  let after: string | undefined
  for (;;) {
    const page = await listAppProfiles(deps.database, destination.appId, after, PAGE_SIZE)
    for (const profile of page) {
      const paths = pathsFor(filter, profile)
      if (paths.length === 0) continue
      found.profiles += 1
      // What both merged profiles have is delivered once.
      const readable = readableAlone(profile, await findDuplicate(deps.database, profile))
      found.items += await countMatching(deps.database, readable, paths)
      if (performance.now() >= untilMs) return { ...found, exact: false }
    }
    if (page.length < PAGE_SIZE) return found
    after = lastOf(page).id
  }
}
