import type { UpstreamError } from '#upstream/request/errors.ts'

/** How the run of one endpoint ended. */
export type Outcome = { kind: 'done' } | { kind: 'yielded' } | { kind: 'failed'; error: UpstreamError }
