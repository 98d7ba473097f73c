import { MEASURED } from '../bounds.ts'
import { connectToServer } from '../own-database.ts'
import { type Checked, checkBound } from './check-bound.ts'
import { ownCheckout } from './checkouts.ts'
import { withCleanup } from './cleanup.ts'
import { chooseOperations, prepareSide, SHORT, type Sizes } from './operations.ts'
import { startRivals } from './rivals.ts'
import { alternate } from './rounds.ts'
import { runCheckout } from './running-checkout.ts'
import { startService } from './service.ts'

/** Compares the working tree with bare rivals in the same run, and each ratio with its bound. */
export function checkBounds(names: readonly string[], sizes: Sizes = SHORT): Promise<Checked[]> {
  return withCleanup(async (cleanup) => {
    const operations = chooseOperations(names)
    const server = await connectToServer()
    cleanup.defer(() => server.end())
    const service = await startService(sizes.items)
    cleanup.defer(service.stop)
    const running = await runCheckout(ownCheckout, service, server, cleanup)
    const { side, reader } = await prepareSide(running, sizes, operations)
    const rivals = await startRivals(running, reader, service, server, sizes, cleanup)
    const { times, failed } = await alternate(
      operations,
      [side, rivals],
      ['the server', 'its rival'],
      sizes,
      () => cleanup.disposed,
    )
    return [
      ...[...times].map(([operation, measured]) => checkBound(operation, measured, MEASURED[operation])),
      ...[...failed].map(([operation, reason]) => ({ line: `${operation.padEnd(16)} ${reason}`, isKept: false })),
    ]
  })
}
