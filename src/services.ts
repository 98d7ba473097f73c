import type { Config } from '#base/config.ts'
import type { Log } from '#base/log.ts'
import type { AuthorizeNeed } from '#flows/authorize/need.ts'
import type { DeliverNeed } from '#flows/deliver/need.ts'
import { withDelivering } from './delivering.ts'
import { openDependencies } from './dependencies.ts'

export { loadRegistry } from './registry.ts'

/** What the commands about people and destinations work on: the store, the services, and the guarded way out. */
export async function withServices<Result>(
  config: Config,
  log: Log,
  work: (need: AuthorizeNeed & DeliverNeed) => Promise<Result>,
): Promise<Result> {
  const dependencies = withDelivering(await openDependencies(config, log))
  try {
    return await work(dependencies)
  } finally {
    await dependencies.close()
  }
}
