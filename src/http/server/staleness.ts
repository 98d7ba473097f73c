import { z } from 'zod'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpDeps } from './deps.ts'

/** A parameter of routes that read items. */
export const staleness = {
  max_staleness: z
    .string()
    .regex(/^\d{1,9}(\.\d{1,3})?$/, 'must be seconds, such as 5 or 0.5')
    .transform(Number)
    .optional()
    .describe(
      'Items may be as they were this many seconds ago. Where the operator has a replica that is recent enough, they are read there. `X-Staleness` says how old they may be.',
    ),
}

/**
 * The dependencies for a read whose items may be this old: on the replica while it is recent enough, otherwise on the primary. Tokens
 * and profiles are looked up on the primary in any case.
 */
export function readingDeps(deps: HttpDeps, reply: HttpReply, maxStalenessS: number | undefined): HttpDeps {
  if (maxStalenessS === undefined) return deps
  const reads = deps.replica?.readsWithin(maxStalenessS * 1000)
  reply.header('x-staleness', ((reads?.stalenessMs ?? 0) / 1000).toFixed(3))
  if (reads === undefined) return deps
  return { ...deps, database: { ...deps.database, ...reads.queries, background: reads.background } }
}
