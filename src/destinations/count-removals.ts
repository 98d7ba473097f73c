import { DeliveryError } from './contract.ts'

/**
 * For a drop that cannot be undone when it fails half-way: its error says how many `things` are removed already. `removed` is called
 * after each removal.
 */
export async function countRemovals(things: string, work: (removed: () => void) => Promise<void>): Promise<void> {
  let count = 0
  try {
    await work(() => {
      count += 1
    })
  } catch (error) {
    if (!(error instanceof DeliveryError) || count === 0) throw error
    const { recovery, message, retryAfterMs } = error
    throw new DeliveryError(recovery, message, { retryAfterMs, removed: `${count} ${things}`, cause: error })
  }
}
