import type { Api } from '#kit/connector/connector.ts'
import { rateFrom } from '#kit/connector/rate.ts'

/** Limits are per endpoint and person, mostly in windows of 15 minutes. */
export const rate = rateFrom({ remaining: 'x-rate-limit-remaining', reset: 'x-rate-limit-reset', of: 'endpoint' })

/** A reached cap and missing access must be fixed by the operator, so such calls are not retried. 402 is for all services the same. */
export const recovery: NonNullable<Api['recovery']> = ({ status, body }) => {
  const { type } = (body ?? {}) as { type?: unknown }
  const problem = typeof type === 'string' ? type.split('/').at(-1) : undefined
  if (problem === 'usage-capped' || problem === 'client-forbidden') return 'stop'
  if (problem === 'not-authorized-for-resource' || problem === 'resource-not-found')
    return status >= 400 ? 'skip' : undefined
  return undefined
}
