import type { Config } from '#config/config.ts'
import type { DeliverDeps } from '#flows/push/deps.ts'
import type { LoggedDeps } from '#identity/deps.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { withDeliveryDeps } from './delivery-deps.ts'
import { openDependencies } from './deps.ts'

/** Runs a command's work with the store, the services and guarded connections to them, and closes everything afterwards. */
export async function withServices<Result>(
  config: Config,
  log: Log,
  work: (deps: LoggedDeps & DeliverDeps) => Promise<Result>,
): Promise<Result> {
  const deps = withDeliveryDeps(await openDependencies(config, log))
  try {
    return await work(deps)
  } finally {
    await deps.close()
  }
}
