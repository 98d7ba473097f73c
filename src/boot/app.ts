import { readAdminToken } from '#config/admin-token.ts'
import type { Config } from '#config/config.ts'
import { proxyAddressOf } from '#config/proxy-origin.ts'
import { keepServedSettings } from '#config/served-settings.ts'
import { type DemoApp, ensureDemoApp, readDemoApp } from '#flows/operations/demo.ts'
import { readMovedDemoAgain } from '#flows/operations/demo-sync.ts'
import { removeVisitor } from '#flows/operators/demo-visitor.ts'
import { createPeopleIndexes } from '#flows/read/people/people-indexes.ts'
import type { HttpServer } from '#http/exchange/serve.ts'
import { HEALTH_ROUTES, ROUTES } from '#http/routes.ts'
import type { HttpDeps } from '#http/server/deps.ts'
import { createServer } from '#http/server.ts'
import { codeOf, SetupError } from '#platform/errors.ts'
import { collectWhenIdle } from '#platform/idle-collection.ts'
import type { LaneView } from '#platform/isolation/lane.ts'
import { openReplica, type Replica } from '#platform/postgres/replica.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { type DeliveryDependencies, withDeliveryDeps } from './delivery-deps.ts'
import { type DemoProcess, startDemoProcess } from './demo-process.ts'
import { demoNetworks, openDependencies } from './deps.ts'
import type { Store } from './open-store.ts'
import { createSupervision } from './supervision.ts'
import { createRemoteTasks, createTasks, remoteClassifyRefusal, remoteReadPage, withRemoteSend } from './tasks.ts'
import type { Tuning } from './tuning.ts'

export interface Started {
  url: string | undefined
  store: Store
  adminTokenFile: string | undefined
  /** The demo's app, in the demo. */
  demoApp: DemoApp | undefined
  /** The address of a service's API for apps: its origin if it has one. */
  proxyAddress: (service: string) => string
  /** The worker processes; empty when the work runs in this process. */
  workers: () => LaneView[]
  stop: () => Promise<void>
}

export interface StartOptions {
  serve: boolean
  demo?: boolean
  /** Where the work runs: in worker processes, or in this process. */
  workers?: 'processes' | 'inline'
  tuning?: Tuning
  /** Sees every response before it is sent. */
  onSend?: HttpDeps['onSend']
}

export async function start(config: Config, log: Log, version: string, options: StartOptions): Promise<Started> {
  const openOptions = { version, demo: options.demo, tuning: options.tuning }
  // A copy, because the port may only be known after the server listens.
  const live = { ...config }
  // First, because it refuses a second demo on the folder, and because its process starts while the database does.
  if (config.engineUrl !== undefined)
    log.warn('ENGINE_URL has no effect any more: remove it, and the schema engine of that database', {})
  const demo = options.demo ? startDemoProcess(config.dataDir, log) : undefined
  const opened = openDependencies(live, log, openOptions)
  // Not left behind by a start that fails.
  if (demo !== undefined) opened.catch(() => demo.stop())
  const deps = withDeliveryDeps(await opened)
  let draining = false
  const endCollecting = collectWhenIdle()
  const closing: (() => Promise<unknown>)[] = [() => deps.close(), async () => endCollecting()]
  if (demo !== undefined) closing.push(() => demo.stop())
  const stop = async () => {
    draining = true
    for (const close of closing.toReversed())
      await close().catch((error: unknown) => log.error('stopping a part of the service failed', { error }))
  }
  try {
    const inline = options.workers === 'inline'
    const supervision = inline ? undefined : createSupervision(deps, openOptions)
    if (supervision !== undefined) closing.push(() => supervision.stop())
    else closing.push(await workInline(deps, options.tuning))
    const workers = () => supervision?.views() ?? []
    const proxyAddress = (service: string) => proxyAddressOf(live, service)
    const { port = config.workerPort, routes } = options.serve
      ? { port: config.port, routes: ROUTES }
      : { routes: HEALTH_ROUTES }
    if (port === undefined) {
      supervision?.begin()
      return { url: undefined, store: deps, adminTokenFile: undefined, demoApp: undefined, proxyAddress, workers, stop }
    }
    const replica = options.serve ? openReadReplica(deps) : undefined
    if (replica !== undefined) closing.push(() => replica.close())
    const admin = readAdminToken(config.adminToken, config.dataDir)
    const serverDeps: HttpDeps = {
      ...deps,
      ...(supervision === undefined
        ? { tasks: createTasks(deps) }
        : {
            tasks: createRemoteTasks(deps, supervision.lanes),
            upstream: withRemoteSend(deps.upstream, supervision.lanes.tasks),
            readPage: remoteReadPage(supervision.lanes.tasks),
            classifyRefusal: remoteClassifyRefusal(supervision.lanes.tasks),
          }),
      people: createPeopleIndexes(deps),
      replica,
      workers,
      workerReports: () => Object.values(supervision?.lanes ?? {}).flatMap((lane) => lane.reports()),
      adminToken: admin.token,
      version,
      demo: () => demo && { ...readDemoApp(config.dataDir, live.baseUrl), services: demo.services },
      isDraining: () => draining,
      onSend: options.onSend,
    }
    const server = createServer(serverDeps, routes)
    closing.push(async () => {
      const drainTimer = setTimeout(() => server.closeConnections('all'), config.drainMs)
      // A connection that was busy when the stop began becomes idle after its response, and `close` does not close it.
      const sweep = setInterval(() => server.closeConnections('idle'), 100)
      await server.close()
      clearTimeout(drainTimer)
      clearInterval(sweep)
    })
    const listening = await listen(server, config.host, port)
    if (options.serve) live.proxyPorts = await listenForServices(server, deps)
    if (options.serve) live.baseUrl = live.baseUrl.replace(/^(http:\/\/localhost):0$/, `$1:${listening}`)
    // With a token of the environment, nothing is written into the folder.
    if (options.serve && admin.file !== undefined) {
      const allowPrivate = [...config.allowPrivate, ...(demo === undefined ? [] : demoNetworks(config).app)]
      keepServedSettings({ ...live, allowPrivate })
    }
    const demoApp = demo && (await openDemo(demo, deps, live, listening))
    if (options.serve && (demo === undefined || demoNetworks(config).app.length === 0))
      await removeVisitor(deps.database)
    supervision?.begin()
    const url = options.serve ? live.baseUrl : `http://localhost:${listening}`
    return { url, store: deps, adminTokenFile: admin.file, demoApp, proxyAddress, workers, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Tells the demo services where the server is, and registers the demo's app there. */
async function openDemo(
  demo: DemoProcess,
  deps: DeliveryDependencies,
  { host, baseUrl, dataDir }: Config,
  port: number,
): Promise<DemoApp> {
  const local = host === '0.0.0.0' || host === '::' || host === 'localhost' ? '127.0.0.1' : host
  const { moved } = await demo.open({
    baseUrl,
    localUrl: `http://${local.includes(':') ? `[${local}]` : local}:${port}`,
  })
  const app = readDemoApp(dataDir, baseUrl)
  await ensureDemoApp(deps, app, demo.services)
  if (moved) await readMovedDemoAgain(deps, app.clientId)
  return app
}

/** Only where requests are served: syncs and deliveries need the newest state. */
function openReadReplica({ config, database, log }: DeliveryDependencies): Replica | undefined {
  const { databaseReadUrl: url, databasePool: pool, preparedStatements: prepared } = config
  return url === undefined ? undefined : openReplica({ url, pool, prepared, log }, database)
}

/** Returns a function that stops the work. */
async function workInline(deps: DeliveryDependencies, tuning: Tuning | undefined): Promise<() => Promise<void>> {
  const { startInlineWorkers } = await import('./inline-workers.ts')
  const { idleMs, onPlanned } = tuning ?? {}
  return startInlineWorkers({ deps, idleMs, onPlanned, drainMs: deps.config.drainMs })
}

/** Returns the port, which the operating system chooses if it is 0. */
async function listen(server: HttpServer, host: string, port: number): Promise<number> {
  const help = `Choose another port: --port ${port + 1} (after npm start: npm start -- --port ${port + 1})`
  await server.listen({ port, host }).catch((error: unknown) => {
    throw portError(error, host, port, help)
  })
  const address = server.server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

/** Opens the ports at which the proxy stands for one service each. */
async function listenForServices(
  server: HttpServer,
  { config, registry }: Pick<DeliveryDependencies, 'config' | 'registry'>,
): Promise<Config['proxyPorts']> {
  const opened: Config['proxyPorts'] = {}
  for (const [service, port] of Object.entries(config.proxyPorts)) {
    if (registry.find(service) === undefined)
      throw new SetupError(`TRIBUTARY_PROXY_PORTS names the service ${service}, which does not exist.`, {
        code: 'config_invalid',
        help: 'tributary services lists the names of all services.',
      })
    const help = `Choose another one for ${service} in TRIBUTARY_PROXY_PORTS.`
    opened[service] = await server.listenAs(service, { port, host: config.host }).catch((error: unknown) => {
      throw portError(error, config.host, port, help)
    })
  }
  return opened
}

/** Says how to choose another port where this one cannot be opened. */
function portError(error: unknown, host: string, port: number, help: string): unknown {
  const code = codeOf(error)
  if (code !== 'EADDRINUSE' && code !== 'EACCES' && code !== 'EADDRNOTAVAIL') return error
  const isTaken = code === 'EADDRINUSE'
  return new SetupError(
    isTaken
      ? `Port ${port} is used by another program, perhaps by a Tributary that is already running.`
      : `Port ${port} on ${host} cannot be opened (${code}).`,
    { code: isTaken ? 'port_taken' : 'port_refused', help, cause: error },
  )
}
