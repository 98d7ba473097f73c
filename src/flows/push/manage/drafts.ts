import { ApiError } from '#model/errors.ts'
import type { DeliverDeps } from '../deps.ts'
import { checkNew, type NewDestination } from './destinations.ts'
import { countMatches, type Draft, type TestResult } from './dry-run.ts'
import { withHints } from './hints.ts'

/**
 * A destination to test before it is added. An address that is malformed or not allowed is the first finding of the test; everything else
 * is refused as it would be when the destination is added.
 */
export async function draftOf(
  deps: DeliverDeps,
  appId: string,
  input: Omit<NewDestination, 'name'>,
): Promise<Draft | { refused: TestResult }> {
  try {
    return await checkNew(deps, appId, { ...input, name: 'draft' })
  } catch (error) {
    if (!(error instanceof ApiError) || error.param !== 'url') throw error
    const checks = withHints(input.kind, [{ check: 'address', ok: false, detail: error.message }])
    return { refused: { checks, matches: await countMatches(deps, { appId, filter: input.filter }) } }
  }
}
