import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readAdminToken } from '#base/admin-token.ts'
import { type Clock, systemClock } from '#base/clock.ts'
import type { Config } from '#base/config.ts'
import { codeOf, reasonOf, SetupError } from '#base/errors.ts'
import { keyFilePath, openKeyFile, parseKeys, readKeyFile } from '#base/key-file.ts'
import type { Log } from '#base/log.ts'
import { openTraces } from '#base/otlp.ts'
import { Keyring } from '#base/sealing.ts'
import { connectors } from '#connectors/index.ts'
import type { AuthorizeNeed } from '#flows/authorize/need.ts'
import { createConnections } from '#flows/deliver/connections.ts'
import { createKinds } from '#flows/deliver/destinations/index.ts'
import type { DeliverNeed, DeliveryTimes } from '#flows/deliver/need.ts'
import { readDemoApp } from '#flows/operate/demo.ts'
import type { SyncTimes } from '#flows/sync/need.ts'
import { readItemQuery } from '#http/item-parameters.ts'
import { createServer } from '#http/server.ts'
import type { Connector } from '#kit/connector.ts'
import { connectorFault, createRegistry, type Registry } from '#kit/registry.ts'
import { type Database, openDatabase } from '#store/database.ts'
import { openEmbedded } from '#store/embedded/open.ts'
import { type Engine, startEngine } from '#store/engine.ts'
import { migrate } from '#store/migrate.ts'
import { type Hasher, openHasher } from '#store/vault.ts'
import { createBudget } from '#upstream/budget.ts'
import { createEgress } from '#upstream/egress/guard.ts'
import { createUpstream } from '#upstream/send.ts'
import { startWorkers } from './worker.ts'

export interface Store {
  database: Database
  /** Where the database is; the engine may share it. */
  url: string
  keyring: Keyring
  keyFile: string | undefined
  hasher: Hasher
  clock: Clock
  log: Log
  close: () => Promise<void>
}

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

/** The database alone, with nothing checked: for the doctor and for migrations. */
export async function openBareDatabase(
  config: Config,
  log: Log,
): Promise<{ database: Database; url: string; close: () => Promise<void> }> {
  const { url, release, revive } = await locateDatabase(config, log)
  const database = openDatabase({
    url,
    pool: config.databasePool,
    prepared: config.preparedStatements,
    log,
    onLost: revive,
  })
  return {
    database,
    url,
    close: async () => {
      await database.close()
      await release()
    },
  }
}

/** Key, database, migrations, vault: in this order, each refusing with a reason before the next is touched. */
export async function openStore(
  config: Config,
  log: Log,
  options: { migrate: boolean; clock?: Clock | undefined } = { migrate: true },
): Promise<Store> {
  const clock = options.clock ?? systemClock
  const keyring = openKeyring(config, log)
  const { database, url, close } = await openBareDatabase(config, log)
  try {
    await reachable(database, config)
    if (options.migrate) {
      for (const name of await migrate(database, clock.now())) log.info('migration applied', { name })
    }
    const hasher = options.migrate ? await openHasher(database, keyring) : unopened()
    return {
      database,
      url,
      keyring,
      keyFile: config.key === undefined ? keyFilePath(config.dataDir) : undefined,
      hasher,
      clock,
      log,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
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

/** What the commands about people and destinations work on: the store, the services, and the guarded way out. */
export async function withServices<Result>(
  config: Config,
  log: Log,
  work: (need: AuthorizeNeed & DeliverNeed) => Promise<Result>,
): Promise<Result> {
  const store = await openStore(config, log)
  const egress = createEgress({ allowPrivate: config.allowPrivate })
  const connections = createConnections({ egress, clock: store.clock }, createKinds(config))
  try {
    return await work({
      ...store,
      config,
      egress,
      upstream: createUpstream({ egress, clock: store.clock, log }),
      connections,
      registry: await loadRegistry(config),
      readQuery: readItemQuery,
    })
  } finally {
    await connections.close()
    await egress.close()
    await store.close()
  }
}

export async function loadRegistry({ connectorsDir }: Config): Promise<Registry> {
  return createRegistry([...connectors, ...(await operatorConnectors(connectorsDir))])
}

/** An operator's own services. A file that is not right stops the start with its reason, before anybody depends on it. */
async function operatorConnectors(folder: string | undefined): Promise<Connector[]> {
  if (folder === undefined) return []
  const found: Connector[] = []
  for (const name of readdirSync(folder).filter((file) => /\.(ts|js|mjs)$/.test(file) && !file.endsWith('.test.ts'))) {
    const path = join(folder, name)
    let fault: string | undefined
    try {
      const loaded = ((await import(pathToFileURL(path).href)) as { default?: unknown }).default
      fault = connectorFault(loaded)
      if (fault === undefined) found.push(loaded as Connector)
    } catch (error) {
      fault = reasonOf(error)
    }
    if (fault !== undefined) {
      throw new SetupError(`The connector ${path} cannot be used: ${fault}.`, {
        code: 'connector_invalid',
        help: `Put it right, or move it out of ${folder}.`,
      })
    }
  }
  return found
}

function openKeyring(config: Config, log: Log): Keyring {
  makeFolder(config.dataDir)
  if (config.key !== undefined) return new Keyring(parseKeys(config.key))
  return new Keyring(openKeyFile(config.dataDir).keys, () => reloadKeys(config.dataDir, log))
}

// A running process never makes a key file: one that is gone or damaged for a moment must not cost it its keys.
function reloadKeys(dataDir: string, log: Log): Buffer[] | undefined {
  try {
    return readKeyFile(keyFilePath(dataDir))?.keys
  } catch (error) {
    log.warn('the key file cannot be read; going on with the keys at hand', { error: reasonOf(error) })
    return undefined
  }
}

interface Located {
  url: string
  release: () => Promise<void>
  revive?: () => void
}

async function locateDatabase(config: Config, log: Log): Promise<Located> {
  if (config.databaseUrl !== undefined) return { url: config.databaseUrl, release: async () => {} }
  makeFolder(config.dataDir)
  const embedded = await openEmbedded({
    dataDir: config.dataDir,
    password: openKeyFile(config.dataDir).databasePassword,
    log,
  })
  let closed = false
  let reviving: Promise<unknown> | undefined
  return {
    url: embedded.url,
    release: () => {
      closed = true
      return embedded.release()
    },
    // Somebody killed the database under us: bring it back, one try at a time.
    revive: () => {
      if (closed) return
      reviving ??= embedded
        .ensure()
        .catch((error: unknown) => log.error('the embedded database could not be started again', { error }))
        .finally(() => {
          reviving = undefined
        })
    },
  }
}

function makeFolder(dataDir: string): void {
  try {
    // Root's database runs as another user, who has to pass through; what is secret in here has its own mode.
    mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
  } catch (error) {
    throw new SetupError(`The data folder ${dataDir} cannot be made (${codeOf(error)}).`, {
      code: 'data_folder',
      help: `Give this user the folder: sudo install -d -o "$(id -un)" -m 700 ${dataDir}\nor choose another: --data DIR`,
      cause: error,
    })
  }
}

async function reachable(database: Database, config: Config): Promise<void> {
  try {
    await database.script('select 1')
  } catch (error) {
    const where =
      config.databaseUrl === undefined
        ? 'The embedded database'
        : `The database at ${new URL(config.databaseUrl).host || 'DATABASE_URL'}`
    throw new SetupError(`${where} does not answer: ${reasonOf(error)}`, {
      code: 'database_unreachable',
      help: 'Check that it runs and that DATABASE_URL names the right host, user and password. tributary doctor tells more.',
      cause: error,
    })
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

// Migrations run without the vault; asking for it then is a bug.
function unopened(): Hasher {
  return new Proxy(
    {},
    {
      get: () => {
        throw new Error('the vault is not open')
      },
    },
  ) as Hasher
}
