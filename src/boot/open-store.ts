import { mkdirSync } from 'node:fs'
import type { AccessWatch } from '#model/access.ts'
import { type Clock, systemClock } from '#platform/clock.ts'
import type { Config } from '#platform/config.ts'
import { openEmbedded } from '#platform/embedded-postgres/open.ts'
import { codeOf, reasonOf, SetupError } from '#platform/errors.ts'
import { keyFilePath, openKeyFile, parseKeys, readKeyFile } from '#platform/key-file.ts'
import { type Database, openDatabase } from '#platform/postgres/database.ts'
import { Keyring } from '#platform/sealing.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { createAccessWatch } from '#store/identity/access-watch.ts'
import { migrate } from '#store/migrate.ts'
import { ping } from '#store/server.ts'
import { type Hasher, openHasher } from '#store/vault.ts'

export interface Store {
  database: Database
  /** Where the database is; the engine may share it. */
  url: string
  keyring: Keyring
  keyFile: string | undefined
  hasher: Hasher
  /** Ends what is under way when access ends. */
  access: AccessWatch
  clock: Clock
  log: Log
  close: () => Promise<void>
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
    const access = createAccessWatch({ database, log })
    return {
      database,
      url,
      access,
      keyring,
      keyFile: config.key === undefined ? keyFilePath(config.dataDir) : undefined,
      hasher,
      clock,
      log,
      close: () => {
        access.close()
        return close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
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
    await ping(database)
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
