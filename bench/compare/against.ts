import { median } from '../load.ts'
import { connectToServer } from '../own-database.ts'
import { checkOut, ownCheckout } from './checkouts.ts'
import { withCleanup } from './cleanup.ts'
import { COMPARED, chooseOperations, prepareSide, type Sizes } from './operations.ts'
import { ratiosOf, spreadOf, verdictOf } from './ratios.ts'
import { alternate, type Rounds } from './rounds.ts'
import { runCheckout } from './running-checkout.ts'
import { startService } from './service.ts'

/**
 * Compares the working tree with another commit: both servers run at the same time, on the same database server, and call the same
 * service, in alternating rounds. Returns the lines of the table.
 */
export function compareWith(commit: string, names: readonly string[], sizes: Sizes = COMPARED): Promise<string[]> {
  return withCleanup(async (cleanup) => {
    const operations = chooseOperations(names)
    const server = await connectToServer()
    cleanup.defer(() => server.end())
    const service = await startService(sizes.items)
    cleanup.defer(service.stop)
    const other = checkOut(commit, cleanup)
    const prepare = async (checkout: typeof other) =>
      (await prepareSide(await runCheckout(checkout, service, server, cleanup), sizes, operations)).side
    const own = await prepare(ownCheckout)
    const others = await prepare(other).catch((error: unknown) => {
      throw new Error(`${other.name} cannot be compared: ${String(error)}`)
    })
    const rounds = await alternate(
      operations,
      [own, others],
      [ownCheckout.name, other.name],
      sizes,
      () => cleanup.disposed,
    )
    return tableOf(rounds, other.name)
  })
}

function tableOf({ times, failed }: Rounds, commit: string): string[] {
  const lines = [...times].map(([operation, { first, second }]) => {
    const ratios = ratiosOf(first, second)
    const { rounds, median: middle, lower, upper } = spreadOf(ratios)
    const spread = `${middle.toFixed(2)} (${lower.toFixed(2)} to ${upper.toFixed(2)}, ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`
    const each = `${median(first).toFixed(0)} and ${median(second).toFixed(0)} ms`
    return `${operation.padEnd(16)} ${spread.padEnd(36)} ${verdictOf(ratios).padEnd(15)} ${rounds} rounds; ${each}`
  })
  return [
    `Processor time of the working tree ÷ ${commit}: median (quarters, least to most)`,
    ...lines,
    ...[...failed].map(([operation, reason]) => `${operation.padEnd(16)} cannot be compared: ${reason}`),
  ]
}
