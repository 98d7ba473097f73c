import { egressErrorIn, isNameRefusal } from '#platform/egress/errors.ts'
import { codeOf, reasonOf } from '#platform/errors.ts'
import { DeliveryError, type DeliveryRecovery } from './contract.ts'

const NAME_REFUSED = 'address_refused: The host has no address on the public internet'
/** Limit: characters of an error that are looked through for what may be shown. What is beyond is left out. */
const MAX_ERROR_CHARACTERS = 4000

/** The peer's own words, short: they name columns and rights, which is what the app's people need, but no values. */
export function explain(error: unknown): string {
  const refused = egressErrorIn(error)
  if (refused !== undefined && isNameRefusal(refused)) return NAME_REFUSED
  if (refused !== undefined) return `${refused.reason}: ${refused.message}`
  if (error instanceof DeliveryError) return error.message
  const code = codeOf(error)
  const words = reasonOf(error)
    .slice(0, MAX_ERROR_CHARACTERS)
    .replaceAll(/(value:?|entry) '[^']*'?/gi, '$1 …')
    .replace(/^.*:SSL routines:[^:]*:([^:]+):.*$/s, 'TLS: $1')
  return `${code === undefined || words.includes(code) ? '' : `${code} `}${words}`.slice(0, 300)
}

/** What a server said when it named the row that it will not take. */
export class RowRefused extends Error {
  readonly rowId: string

  constructor(rowId: string, cause: unknown) {
    super('a row was refused', { cause })
    this.name = 'RowRefused'
    this.rowId = rowId
  }
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
    const [cause, rowId] = error instanceof RowRefused ? [error.cause, error.rowId] : [error, undefined]
    throw new DeliveryError(recoveryOf(cause), explain(cause), { cause, rowId })
  }
}
