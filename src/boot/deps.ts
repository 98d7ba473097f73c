import { createRateLimiter, type RateLimiter } from '#access/rate-limiter.ts'
import type { Config } from '#config/config.ts'
import type { DeliveryTimes } from '#flows/push/deps.ts'
import type { SyncTimes } from '#flows/sync/deps.ts'
import { createRunCounts, type RunCounts } from '#flows/sync/run/run-counts.ts'
import { createTokenUses, type TokenUses } from '#identity/token-uses.ts'
import type { Registry } from '#kit/connector/registry.ts'
import type { PasswordCost } from '#platform/crypto/password.ts'
import type { Egress } from '#platform/egress/guard.ts'
import { createEgressLevels } from '#platform/egress/levels.ts'
import { isLoopbackAddress } from '#platform/formats/loopback.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { openTraces } from '#platform/telemetry/otlp.ts'
import type { Tracer } from '#platform/telemetry/trace.ts'
import { createRunSlots, type RunSlots } from '#platform/waiting/run-slots.ts'
import { createOperationLog, type OperationLog } from '#store/log/operation-log.ts'
import { createUpstream, type Upstream } from '#upstream/request/send.ts'
import { demoSocketsOf } from './demo-folder.ts'
import { openStore, type Store } from './open-store.ts'
import { loadRegistry } from './registry.ts'
import type { Tuning } from './tuning.ts'

/** Limit: profiles that one process syncs at a time; others stay due. */
const MAX_SYNCS = 32

/** The dependencies of the flows, in every process: the request process, each worker, and commands. */
export interface Dependencies extends Store {
  config: Config
  registry: Registry
  tracer: Tracer | undefined
  /** For addresses that apps choose: destinations and webhooks. `upstream` decides about those of services. */
  egress: Egress
  upstream: Upstream
  rateLimiter: RateLimiter
  /** What the log shows of sign-ins and syncs. */
  operations: OperationLog
  tokenUses: TokenUses
  /** What this process has synced. */
  syncRuns: RunCounts
  /** What it syncs now. */
  syncSlots: RunSlots
  times: Partial<SyncTimes> | undefined
  deliveryTimes: Partial<DeliveryTimes> | undefined
  passwordCost: PasswordCost | undefined
}

export interface OpenOptions {
  /** The version of this release in traces; undefined: no traces. */
  version?: string | undefined
  /** Allows destinations on this machine, where people who try the demo have their databases, unless others can reach the demo. */
  demo?: boolean | undefined
  tuning?: Tuning | undefined
}

/** Nothing, where others can reach the demo. */
export const demoNetworks = ({ host }: Pick<Config, 'host'>): { app: string[] } => ({
  app: isLoopbackAddress(host) ? ['127.0.0.0/8'] : [],
})

/** Opens everything; `close` of the result closes it in reverse order. */
export async function openDependencies(config: Config, log: Log, options: OpenOptions = {}): Promise<Dependencies> {
  const { version, demo = false, tuning } = options
  const store = await openStore(config, log, { migrate: true, clock: tuning?.clock })
  // Follows a key rotation even when no value sealed with the new key is read.
  const keyRefresh = setInterval(() => store.keyring.refresh(), 30_000).unref()
  try {
    const registry = await loadRegistry(config)
    const traces = version === undefined ? undefined : openTraces(config, log, version)
    const operations = createOperationLog(store)
    const tokenUses = createTokenUses(store)
    const levels = createEgressLevels({
      allowPrivate: config.allowPrivate,
      allowPrivateTyped: config.allowPrivateTyped,
      also: demo ? demoNetworks(config) : {},
      sockets: demoSocketsOf(config.dataDir),
    })
    return {
      ...store,
      config,
      registry,
      tracer: traces?.tracer,
      egress: levels.at('app'),
      upstream: createUpstream({ egress: levels, clock: store.clock, log, tracer: traces?.tracer }),
      rateLimiter: createRateLimiter(store),
      operations,
      tokenUses,
      syncRuns: createRunCounts(),
      syncSlots: createRunSlots(MAX_SYNCS),
      times: tuning?.times,
      deliveryTimes: tuning?.deliveryTimes,
      passwordCost: tuning?.passwordCost,
      close: async () => {
        clearInterval(keyRefresh)
        const flush = [() => operations.flush(), () => tokenUses.flush()]
        const closing = [() => levels.close(), () => traces?.close(), ...flush, () => store.close()]
        for (const close of closing)
          await Promise.resolve(close()).catch((error: unknown) => log.error('closing a dependency failed', { error }))
      },
    }
  } catch (error) {
    clearInterval(keyRefresh)
    await store.close()
    throw error
  }
}
