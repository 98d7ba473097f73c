import { readDemoApp } from '#flows/operations/demo.ts'
import { createServer } from '#http/server.ts'
import { readAdminToken } from '#platform/admin-token.ts'
import type { Config } from '#platform/config.ts'
import { codeOf, SetupError } from '#platform/errors.ts'
import type { LaneView } from '#platform/isolation/lane.ts'
import { type Database, openDatabase } from '#platform/postgres/database.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { type Delivering, withDelivering } from './delivery-deps.ts'
import { openDependencies } from './deps.ts'
import type { Store } from './open-store.ts'
import { createSupervision } from './supervision.ts'
import { createRemoteTasks, createTasks, remoteClassifyRefusal, remoteReadPage, withRemoteSend } from './tasks.ts'
import type { Tuning } from './tuning.ts'

export interface Started {
  url: string | undefined
  store: Store
  adminTokenFile: string | undefined
  /** The worker processes; none where the work is done in this one. */
  workers: () => LaneView[]
  stop: () => Promise<void>
}

export interface Starting {
  serve: boolean
  demo?: boolean
  /** Where the work is done: in processes of their own, or in this one. */
  workers?: 'processes' | 'inline'
  tuning?: Tuning
}

export async function start(config: Config, log: Log, version: string, what: Starting): Promise<Started> {
  const opening = { version, demo: what.demo, tuning: what.tuning }
  // A copy, because the address is only known once a free port was found.
  const live = { ...config }
  const deps = withDelivering(await openDependencies(live, log, opening))
  let draining = false
  const closing: (() => Promise<unknown>)[] = [() => deps.close()]
  const stop = async () => {
    draining = true
    for (const close of closing.toReversed())
      await close().catch((error: unknown) => log.error('stopping met an error', { error }))
  }
  try {
    const inline = what.workers === 'inline'
    const engineDatabase = openEngineDatabase(deps)
    if (engineDatabase !== deps.database) closing.push(() => engineDatabase.close())
    const supervision = inline ? undefined : createSupervision(deps, engineDatabase, opening)
    if (supervision !== undefined) closing.push(() => supervision.stop())
    else closing.push(await workInline(deps, what.tuning))
    const workers = () => supervision?.views() ?? []
    if (!what.serve) {
      supervision?.begin()
      return { url: undefined, store: deps, adminTokenFile: undefined, workers, stop }
    }
    const admin = readAdminToken(config.adminToken, config.dataDir)
    const server = createServer({
      ...deps,
      ...(supervision === undefined
        ? { tasks: createTasks(deps) }
        : {
            tasks: createRemoteTasks(deps, supervision.lanes),
            upstream: withRemoteSend(deps.upstream, supervision.lanes.tasks),
            readPage: remoteReadPage(supervision.lanes.tasks),
            classifyRefusal: remoteClassifyRefusal(supervision.lanes.tasks),
          }),
      workers,
      workerReports: () => Object.values(supervision?.lanes ?? {}).flatMap((lane) => lane.reports()),
      engineDatabase,
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
    supervision?.begin()
    return { url: live.baseUrl, store: deps, adminTokenFile: admin.file, workers, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The job engine may have a database of its own. */
function openEngineDatabase({ config, database, log }: Delivering): Database {
  if (config.engineUrl === undefined) return database
  return openDatabase({ url: config.engineUrl, pool: 2, prepared: config.preparedStatements, log })
}

/** Gives a function that ends the work. */
async function workInline(deps: Delivering, tuning: Tuning | undefined): Promise<() => Promise<void>> {
  const [{ startEngine }, { startWorkers }] = await Promise.all([
    import('#platform/queue/engine.ts'),
    import('./inline-workers.ts'),
  ])
  const { config, url, log } = deps
  const engine = await startEngine({ url: config.engineUrl ?? url, log, heartbeatS: tuning?.heartbeatS })
  const stop = await startWorkers({ engine, deps, onLooked: tuning?.onLooked })
  return async () => {
    await stop()
    await engine.stop(config.drainMs)
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
