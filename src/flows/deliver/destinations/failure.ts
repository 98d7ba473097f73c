import { codeOf, reasonOf } from '#base/errors.ts'
import { egressErrorIn, isNameRefusal } from '#upstream/egress/errors.ts'
import { DeliveryError, type DeliveryRecovery } from '../destination.ts'

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

const named = new WeakMap<object, string>()

/** Remembers which row an error blames, where the server says so. */
export function nameRow(error: unknown, rowId: string | undefined): void {
  if (error instanceof Error && rowId !== undefined) named.set(error, rowId)
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
    const rowId = error instanceof Error ? named.get(error) : undefined
    throw new DeliveryError(recoveryOf(error), explain(error), { cause: error, rowId })
  }
}
