import { createRateLimiter, type RateLimiter } from '#access/rate-limiter.ts'
import type { DeliveryTimes } from '#flows/push/deps.ts'
import type { SyncTimes } from '#flows/sync/deps.ts'
import type { Registry } from '#kit/registry.ts'
import type { Config } from '#platform/config.ts'
import { createEgress, type Egress } from '#platform/egress/guard.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { openTraces } from '#platform/telemetry/otlp.ts'
import type { Tracer } from '#platform/telemetry/trace.ts'
import { createUpstream, type Upstream } from '#upstream/send.ts'
import { openStore, type Store } from './open-store.ts'
import { loadRegistry } from './registry.ts'
import type { Tuning } from './tuning.ts'

/** What flows work with, in every process: the request process, each worker, and commands. */
export interface Dependencies extends Store {
  config: Config
  registry: Registry
  tracer: Tracer | undefined
  egress: Egress
  upstream: Upstream
  rateLimiter: RateLimiter
  times: Partial<SyncTimes> | undefined
  deliveryTimes: Partial<DeliveryTimes> | undefined
}

export interface Opening {
  /** What traces call this release; undefined: no traces. */
  version?: string | undefined
  /** The simulated services of the demo live on this machine. */
  demo?: boolean | undefined
  tuning?: Tuning | undefined
}

/** Opens everything; `close` of the result closes it again, the last opened first. */
export async function openDependencies(config: Config, log: Log, opening: Opening = {}): Promise<Dependencies> {
  const { version, demo = false, tuning } = opening
  const store = await openStore(config, log, { migrate: true, clock: tuning?.clock })
  // Follows a key rotation even when no value sealed with the new key comes along.
  const follow = setInterval(() => store.keyring.refresh(), 30_000).unref()
  try {
    const registry = await loadRegistry(config)
    const traces = version === undefined ? undefined : openTraces(config, log, version)
    const egress = createEgress({ allowPrivate: [...config.allowPrivate, ...(demo ? ['127.0.0.0/8'] : [])] })
    return {
      ...store,
      config,
      registry,
      tracer: traces?.tracer,
      egress,
      upstream: createUpstream({ egress, clock: store.clock, log, tracer: traces?.tracer }),
      rateLimiter: createRateLimiter(store),
      times: tuning?.times,
      deliveryTimes: tuning?.deliveryTimes,
      close: async () => {
        clearInterval(follow)
        const closing = [() => egress.close(), () => traces?.close(), () => store.close()]
        for (const close of closing)
          await Promise.resolve(close()).catch((error: unknown) => log.error('stopping met an error', { error }))
      },
    }
  } catch (error) {
    clearInterval(follow)
    await store.close()
    throw error
  }
}
