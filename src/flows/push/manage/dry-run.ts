import { DeliveryError, type Finding } from '#destinations/contract.ts'
import type { Destination } from '#model/destination.ts'
import { lastOf } from '#platform/list-ends.ts'
import { listAppProfiles } from '#store/identity/profiles.ts'
import { countMatching } from '#store/items/match.ts'
import type { DeliverDeps } from '../deps.ts'
import { filterOf, pathsFor } from '../filter.ts'
import { secretsOf } from './destinations.ts'

/** Limit: milliseconds that trying one destination takes. Then it is ended and counts as failed. */
const MAX_TRY_MS = 50_000
/** Limit: time for counting what a filter lets through; then it ends, and says so. */
const MAX_COUNTING_MS = 5000
const AT_ONCE = 200

export interface DryRun {
  /** Profiles that the filter takes anything of. */
  profiles: number
  items: number
  /** False when counting took too long: then at least so many. */
  exact: boolean
}

/** Connects, checks the rights, and counts what would be delivered. Writes nothing that stays, and ends when nobody waits for it. */
export async function tryDestination(
  deps: DeliverDeps,
  destination: Destination,
  signal?: AbortSignal,
): Promise<{ checks: Finding[]; matches: DryRun }> {
  const [checks, matches] = await Promise.all([checkConnection(deps, destination, signal), dryRun(deps, destination)])
  return { checks, matches }
}

async function checkConnection(
  deps: DeliverDeps,
  destination: Destination,
  signal: AbortSignal | undefined,
): Promise<Finding[]> {
  const secrets = await secretsOf(deps.keyring, deps.database, destination.id)
  const connection = deps.connections.kindOf(destination.kind).open(deps, destination, secrets)
  const ended = AbortSignal.any([AbortSignal.timeout(MAX_TRY_MS), ...(signal === undefined ? [] : [signal])])
  const late = Promise.withResolvers<Finding[]>()
  const giveUp = () =>
    late.resolve([{ check: 'time', ok: false, detail: `not done after ${MAX_TRY_MS / 1000} seconds` }])
  ended.addEventListener('abort', giveUp)
  if (ended.aborted) giveUp()
  try {
    return await Promise.race([connection.test(), late.promise])
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    return [{ check: 'connect', ok: false, detail: error.message }]
  } finally {
    ended.removeEventListener('abort', giveUp)
    // A driver may wait for what it was just asked; nobody waits for that.
    const closed = connection.close()
    if (ended.aborted)
      closed.catch((error: unknown) => deps.log.debug('a connection did not close', { kind: destination.kind, error }))
    else await closed
  }
}

async function dryRun(deps: DeliverDeps, destination: Destination): Promise<DryRun> {
  const filter = filterOf(deps, destination)
  const untilMs = performance.now() + MAX_COUNTING_MS
  const found: DryRun = { profiles: 0, items: 0, exact: true }
  let after: string | undefined
  for (;;) {
    const page = await listAppProfiles(deps.database, destination.appId, after, AT_ONCE)
    for (const profile of page) {
      const paths = pathsFor(filter, profile)
      if (paths.length === 0) continue
      found.profiles += 1
      found.items += await countMatching(deps.database, profile, paths)
      if (performance.now() >= untilMs) return { ...found, exact: false }
    }
    if (page.length < AT_ONCE) return found
    after = lastOf(page).id
  }
}
