import { egressErrorIn, isNameRefusal } from '#platform/egress/errors.ts'
import { codeOf, reasonOf } from '#platform/errors.ts'
import { DeliveryError, type DeliveryRecovery } from './contract.ts'

const NAME_REFUSED = 'address_refused: The host has no address on the public internet'
/** Limit: characters of a destination's error message that are searched for values to hide. The rest is dropped. */
const MAX_ERROR_CHARACTERS = 4000

/** The message of the server or driver, shortened. It names columns and privileges, which the app needs, but no values. */
export function explain(error: unknown): string {
  const refused = egressErrorIn(error)
  if (refused !== undefined && isNameRefusal(refused)) return NAME_REFUSED
  if (refused !== undefined) return `${refused.reason}: ${refused.message}`
  if (error instanceof DeliveryError) return error.message
  const code = codeOf(error)
  const message = reasonOf(error)
    .slice(0, MAX_ERROR_CHARACTERS)
    .replaceAll(/(value:?|entry) '[^']*'?/gi, '$1 …')
    .replace(/^.*:SSL routines:[^:]*:([^:]+):.*$/s, 'TLS: $1')
  return `${code === undefined || message.includes(code) ? '' : `${code} `}${message}`.slice(0, 300)
}

/** The server rejected a row and named it. */
export class RowRejected extends Error {
  readonly rowId: string

  constructor(rowId: string, cause: unknown) {
    super('a row was rejected', { cause })
    this.name = 'RowRejected'
    this.rowId = rowId
  }
}

/** Runs work and turns errors of the driver into a `DeliveryError` with the recovery that the kind decides. */
export async function withDeliveryErrors<Result>(
  recoveryOf: (error: unknown) => DeliveryRecovery,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof DeliveryError) throw error
    const [cause, rowId] = error instanceof RowRejected ? [error.cause, error.rowId] : [error, undefined]
    throw new DeliveryError(recoveryOf(cause), explain(cause), { cause, rowId })
  }
}
