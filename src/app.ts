import { readAdminToken } from '#base/admin-token.ts'
import type { Clock } from '#base/clock.ts'
import type { Config } from '#base/config.ts'
import { codeOf, SetupError } from '#base/errors.ts'
import type { Log } from '#base/log.ts'
import { openTraces } from '#base/otlp.ts'
import { createConnections } from '#flows/deliver/connections.ts'
import { createKinds } from '#flows/deliver/destinations/index.ts'
import type { DeliveryTimes } from '#flows/deliver/need.ts'
import { readDemoApp } from '#flows/operate/demo.ts'
import type { SyncTimes } from '#flows/sync/need.ts'
import { readItemQuery } from '#http/item-parameters.ts'
import { createServer } from '#http/server.ts'
import { type Engine, startEngine } from '#store/engine.ts'
import { createBudget } from '#upstream/budget.ts'
import { createEgress } from '#upstream/egress/guard.ts'
import { createUpstream } from '#upstream/send.ts'
import { openStore, type Store } from './open-store.ts'
import { loadRegistry } from './services.ts'
import { startWorkers } from './worker.ts'

export interface Started {
  url: string | undefined
  store: Store
  adminTokenFile: string | undefined
  stop: () => Promise<void>
}

/** For those who cannot wait: tests of what happens when workers die. */
export interface Tuning {
  times?: Partial<SyncTimes>
  deliveryTimes?: Partial<DeliveryTimes>
  heartbeatS?: number
  clock?: Clock
}

export async function start(
  config: Config,
  log: Log,
  version: string,
  what: { serve: boolean; demo?: boolean; tuning?: Tuning },
): Promise<Started> {
  const store = await openStore(config, log, { migrate: true, clock: what.tuning?.clock })
  let engine: Engine | undefined
  let draining = false
  // Follows a key rotation even when no value sealed with the new key comes along.
  const follow = setInterval(() => store.keyring.refresh(), 30_000).unref()
  const closing: (() => Promise<unknown>)[] = [store.close]
  const stop = async () => {
    draining = true
    clearInterval(follow)
    for (const close of closing.toReversed())
      await close().catch((error: unknown) => log.error('stopping met an error', { error }))
  }
  try {
    const registry = await loadRegistry(config)
    const traces = openTraces(config, log, version)
    if (traces !== undefined) closing.push(() => traces.close())
    // The demo's simulated services live on this machine.
    const egress = createEgress({ allowPrivate: [...config.allowPrivate, ...(what.demo ? ['127.0.0.0/8'] : [])] })
    closing.push(() => egress.close())
    // A copy, because the address is only known once a free port was found.
    const live = { ...config }
    const need = {
      ...store,
      config: live,
      registry,
      tracer: traces?.tracer,
      upstream: createUpstream({ egress, clock: store.clock, log, tracer: traces?.tracer }),
      budget: createBudget(store),
      egress,
      connections: createConnections({ egress, clock: store.clock }, createKinds(config)),
      readQuery: readItemQuery,
      times: what.tuning?.times,
      deliveryTimes: what.tuning?.deliveryTimes,
    }
    closing.push(() => need.connections.close())
    engine = await startEngine({ url: config.engineUrl ?? store.url, log, heartbeatS: what.tuning?.heartbeatS })
    closing.push(() => engine!.stop(config.drainMs))
    closing.push(await startWorkers({ engine, need }))
    if (!what.serve) return { url: undefined, store, adminTokenFile: undefined, stop }
    const admin = readAdminToken(config.adminToken, config.dataDir)
    const server = createServer({
      ...need,
      engine,
      adminToken: admin.token,
      version,
      demo: () => (what.demo ? readDemoApp(config.dataDir, live.baseUrl) : undefined),
      isDraining: () => draining,
    })
    closing.push(async () => {
      const late = setTimeout(() => server.server.closeAllConnections(), config.drainMs)
      // A connection that was busy when the stop began is idle once its answer is out, and nobody else closes it.
      const sweep = setInterval(() => server.server.closeIdleConnections(), 100)
      await server.close()
      clearTimeout(late)
      clearInterval(sweep)
    })
    live.baseUrl = await listen(server, config)
    return { url: live.baseUrl, store, adminTokenFile: admin.file, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function listen(server: ReturnType<typeof createServer>, config: Config): Promise<string> {
  try {
    await server.listen({ port: config.port, host: config.host })
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE' && codeOf(error) !== 'EACCES' && codeOf(error) !== 'EADDRNOTAVAIL') throw error
    const taken = codeOf(error) === 'EADDRINUSE'
    throw new SetupError(
      taken
        ? `Port ${config.port} is taken by another program, perhaps a Tributary that already runs.`
        : `Port ${config.port} on ${config.host} cannot be opened (${codeOf(error)}).`,
      {
        code: taken ? 'port_taken' : 'port_refused',
        help: `Choose another port: npm start -- --port ${config.port + 1}`,
        cause: error,
      },
    )
  }
  const address = server.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : config.port
  return config.baseUrl.replace(/^(http:\/\/localhost):0$/, `$1:${port}`)
}
