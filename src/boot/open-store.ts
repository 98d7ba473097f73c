import { mkdirSync } from 'node:fs'
import type { Config } from '#config/config.ts'
import { keyFilePath, openKeyFile, parseKeys, readKeyFile } from '#config/key-file.ts'
import { findClusterReport } from '#flows/operations/cluster.ts'
import type { AccessWatch } from '#model/accounts/access.ts'
import { type Clock, systemClock } from '#platform/clock.ts'
import { Keyring } from '#platform/crypto/sealing.ts'
import { openEmbedded } from '#platform/embedded-postgres/open.ts'
import { codeOf, reasonOf, SetupError } from '#platform/errors.ts'
import { type Database, openDatabase } from '#platform/postgres/database.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { createWriteWatch, type WriteWatch } from '#platform/waiting/write-watch.ts'
import { createAccessWatch } from '#store/identity/access-watch.ts'
import { migrate } from '#store/migrate.ts'
import { ping } from '#store/server.ts'
import { Hasher, openHasher } from '#store/vault.ts'

export interface Store {
  database: Database
  /** The URL of the database, which worker processes share. */
  url: string
  keyring: Keyring
  keyFile: string | undefined
  hasher: Hasher
  /** Ends running operations when access ends. */
  access: AccessWatch
  /** Wakes loops that wait for a write. */
  writes: WriteWatch
  clock: Clock
  log: Log
  close: () => Promise<void>
}

/** Opens only the database and checks nothing: for the doctor and for migrations. */
export async function openBareDatabase(
  config: Config,
  log: Log,
  writes?: WriteWatch,
): Promise<{ database: Database; url: string; close: () => Promise<void> }> {
  const { url, release, restart } = await locateDatabase(config, log)
  const database = openDatabase({
    url,
    pool: config.databasePool,
    prepared: config.preparedStatements,
    log,
    onLost: restart,
    onWritten: writes?.written,
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

/** Opens the database of `DATABASE_READ_URL` for as long as `work` needs it. */
export async function withReadDatabase<Result>(
  { databaseReadUrl: url, preparedStatements: prepared }: Config,
  log: Log,
  work: (replica: Database) => Promise<Result>,
): Promise<Result> {
  if (url === undefined) throw new Error('DATABASE_READ_URL is not set')
  const replica = openDatabase({ url, pool: 2, prepared, log })
  try {
    return await work(replica)
  } finally {
    await replica.close()
  }
}

/** Opens keyring, database, migrations and vault in this order; each fails with a reason before the next is touched. */
export async function openStore(
  config: Config,
  log: Log,
  options: { migrate: boolean; clock?: Clock | undefined } = { migrate: true },
): Promise<Store> {
  const clock = options.clock ?? systemClock
  const keyring = openKeyring(config, log)
  const writes = createWriteWatch()
  const { database, url, close } = await openBareDatabase(config, log, writes)
  try {
    await requireReachable(database, config)
    if (options.migrate) {
      const names = await migrate(database, clock.now())
      if (names.length > 0) log.info('migrations applied', { count: names.length, last: names.at(-1) })
      await warnOfCluster(database, log)
    }
    const hasher = options.migrate ? await openHasher(database, keyring) : new UnopenedHasher()
    const access = createAccessWatch({ database, clock, log })
    return {
      database,
      url,
      access,
      writes,
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

/** Statements on a table that is in the wrong place may fail, or ask every node. */
async function warnOfCluster(database: Database, log: Log): Promise<void> {
  const problems = (await findClusterReport(database))?.problems ?? []
  if (problems.length === 0) return
  const help = 'tributary cluster check lists all of them and says what to do'
  log.warn('the sharded database is not set up as expected', {
    problems: problems.length,
    first: problems[0]?.problem,
    help,
  })
}

function openKeyring(config: Config, log: Log): Keyring {
  createDataFolder(config.dataDir)
  if (config.key !== undefined) return new Keyring(parseKeys(config.key))
  return new Keyring(openKeyFile(config.dataDir).keys, () => reloadKeys(config.dataDir, log))
}

// A running process never creates a key file: if the file is missing or damaged for a moment, it keeps its keys.
function reloadKeys(dataDir: string, log: Log): Buffer[] | undefined {
  try {
    return readKeyFile(keyFilePath(dataDir))?.keys
  } catch (error) {
    log.warn('the key file cannot be read; the current keys stay in use', { error: reasonOf(error) })
    return undefined
  }
}

interface LocatedDatabase {
  url: string
  release: () => Promise<void>
  /** Starts an embedded database again. */
  restart?: () => void
}

async function locateDatabase(config: Config, log: Log): Promise<LocatedDatabase> {
  if (config.databaseUrl !== undefined) return { url: config.databaseUrl, release: async () => {} }
  createDataFolder(config.dataDir)
  const embedded = await openEmbedded({
    dataDir: config.dataDir,
    password: openKeyFile(config.dataDir).databasePassword,
    log,
  })
  let isReleased = false
  let restarting: Promise<unknown> | undefined
  return {
    url: embedded.url,
    release: () => {
      isReleased = true
      return embedded.release()
    },
    // The database process was killed: one attempt to start it at a time.
    restart: () => {
      if (isReleased) return
      restarting ??= embedded
        .ensure()
        .catch((error: unknown) => log.error('the embedded database could not be restarted', { error }))
        .finally(() => {
          restarting = undefined
        })
    },
  }
}

function createDataFolder(dataDir: string): void {
  try {
    // When root runs us, the database runs as another user, who must pass through. Secret files have their own mode.
    mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
  } catch (error) {
    throw new SetupError(`The data folder ${dataDir} cannot be created (${codeOf(error)}).`, {
      code: 'data_folder',
      help: `Create it for this user: sudo install -d -o "$(id -un)" -m 700 ${dataDir}\nOr choose another folder: --data DIR`,
      cause: error,
    })
  }
}

async function requireReachable(database: Database, config: Config): Promise<void> {
  try {
    await ping(database)
  } catch (error) {
    const where =
      config.databaseUrl === undefined
        ? 'The embedded database'
        : `The database at ${new URL(config.databaseUrl).host || 'DATABASE_URL'}`
    throw new SetupError(`${where} cannot be reached: ${reasonOf(error)}`, {
      code: 'database_unreachable',
      help: 'Check that it is running and that DATABASE_URL has the right host, user and password. For more details: tributary doctor',
      cause: error,
    })
  }
}

/** For migrations, which run before the vault exists. Hashing then is a bug. */
class UnopenedHasher extends Hasher {
  constructor() {
    super('')
  }

  override hash(): never {
    throw new Error('The vault is not open')
  }
}
