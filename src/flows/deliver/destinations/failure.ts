import { codeOf, reasonOf } from '#base/errors.ts'
import { egressErrorIn } from '#upstream/egress/errors.ts'
import { DeliveryError, type DeliveryRecovery } from '../destination.ts'

/** The peer's own words, short: they name columns and rights, which is what the app's people need, but no values. */
export function explain(error: unknown): string {
  const refused = egressErrorIn(error)
  if (refused !== undefined) return `${refused.reason}: ${refused.message}`
  if (error instanceof DeliveryError) return error.message
  const code = codeOf(error)
  const words = reasonOf(error)
    .replaceAll(/(value:?|entry) '[^']*'?/gi, '$1 …')
    .replace(/^.*:SSL routines:[^:]*:([^:]+):.*$/s, 'TLS: $1')
  return `${code === undefined || words.includes(code) ? '' : `${code} `}${words}`.slice(0, 300)
}

/** Runs work of a kind and turns what goes wrong into what helps. */
export async function failing<Result>(
  recoveryOf: (error: unknown) => DeliveryRecovery,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof DeliveryError) throw error
    throw new DeliveryError(recoveryOf(error), explain(error), { cause: error })
  }
}
