import type { AuthorizeDeps } from '#flows/authorize/deps.ts'
import type { DeliverDeps } from '#flows/push/deps.ts'
import type { Config } from '#platform/config.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { withDelivering } from './delivery-deps.ts'
import { openDependencies } from './deps.ts'

export { loadRegistry } from './registry.ts'

/** What the commands about people and destinations work on: the store, the services, and the guarded way out. */
export async function withServices<Result>(
  config: Config,
  log: Log,
  work: (deps: AuthorizeDeps & DeliverDeps) => Promise<Result>,
): Promise<Result> {
  const dependencies = withDelivering(await openDependencies(config, log))
  try {
    return await work(dependencies)
  } finally {
    await dependencies.close()
  }
}
