import { accessSync, constants, existsSync, mkdirSync, statfsSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { readAdminToken } from '#config/admin-token.ts'
import type { Config } from '#config/config.ts'
import { keyFilePath, parseKeys } from '#config/key-file.ts'
import type { Clock } from '#platform/clock.ts'
import { doubtAbout } from '#platform/crypto/weak-secret.ts'
import { codeOf, reasonOf, SetupError } from '#platform/errors.ts'
import { firstOf } from '#platform/formats/list-ends.ts'
import { isLoopbackAddress } from '#platform/formats/loopback.ts'
import type { Database, Queries } from '#platform/postgres/database.ts'
import { planMigrations } from '#store/migrate.ts'
import { readServer } from '#store/server.ts'
import { checkOverrides } from './check-overrides.ts'
import { checkReplica } from './check-replica.ts'
import { type ClusterReport, findClusterReport } from './cluster.ts'
import type { Diagnosis } from './diagnosis.ts'
import { examineProxyOrigin } from './examine-proxy-origin.ts'
import { checkLastBackup } from './last-backup.ts'
import { checkMaintenance } from './maintenance/task-states.ts'

export interface DoctorDeps {
  /** Throws when the settings are wrong. */
  config: () => Config
  nodeVersion: string
  clock: Clock
  withDatabase: <Result>(work: (database: Database) => Promise<Result>) => Promise<Result>
  /** The database of `DATABASE_READ_URL`, if that is set. */
  withReplica: <Result>(work: (replica: Queries) => Promise<Result>) => Promise<Result>
}

const LOW_DISK_BYTES = 1024 ** 3
const SKEW_MS = 5000

/** Checks everything that the service depends on. The checks are independent, so that one failure does not hide another. */
export async function examine(deps: DoctorDeps): Promise<Diagnosis[]> {
  const findings = [checkNode(deps.nodeVersion)]
  let config: Config
  try {
    config = deps.config()
    findings.push({
      name: 'settings',
      state: 'ok',
      detail: config.databaseUrl === undefined ? 'embedded database' : 'DATABASE_URL',
    })
  } catch (error) {
    return [...findings, failed('settings', error)]
  }
  findings.push(checkFolder(config.dataDir), checkDisk(config.dataDir), checkKey(config), checkAdminToken(config))
  findings.push(...(await checkDatabase(deps, config)))
  findings.push(await checkPort(config), checkAddress(config), await examineProxyOrigin(config), checkEgress(config))
  return findings
}

function checkNode(version: string): Diagnosis {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const ok = major > 24 || (major === 24 && minor >= 12)
  return {
    name: 'node',
    state: ok ? 'ok' : 'fail',
    detail: version,
    ...(ok ? {} : { help: 'Use Node 24.12 or newer; npm run tributary uses its own.' }),
  }
}

function checkFolder(dataDir: string): Diagnosis {
  try {
    mkdirSync(dataDir, { recursive: true })
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    return { name: 'data folder', state: 'ok', detail: dataDir }
  } catch (error) {
    return {
      name: 'data folder',
      state: 'fail',
      detail: `${dataDir} cannot be used (${codeOf(error)})`,
      help: `Make this user its owner: chown -R "$(id -un)" ${dataDir}`,
    }
  }
}

function checkDisk(dataDir: string): Diagnosis {
  try {
    const { bavail, bsize } = statfsSync(dataDir)
    const free = bavail * bsize
    const detail = `${(free / 1024 ** 3).toFixed(1)} GB free`
    return free > LOW_DISK_BYTES
      ? { name: 'disk', state: 'ok', detail }
      : { name: 'disk', state: 'warn', detail, help: 'Free some space, or move the folder and set TRIBUTARY_DATA.' }
  } catch (error) {
    return failed('disk', error)
  }
}

function checkKey(config: Config): Diagnosis {
  if (config.key !== undefined) return checkKeys(config.key)
  const path = keyFilePath(config.dataDir)
  if (!existsSync(path)) return { name: 'key', state: 'ok', detail: `${path} will be created at the first start` }
  const open = (statSync(path).mode & 0o077) !== 0
  return open
    ? {
        name: 'key',
        state: 'fail',
        detail: `${path} can be read by other users of this machine`,
        help: `chmod 600 ${path}`,
      }
    : { name: 'key', state: 'ok', detail: `${path} (back it up: without it stored tokens are lost)` }
}

function checkKeys(text: string): Diagnosis {
  try {
    const doubt = parseKeys(text)
      .map(doubtAbout)
      .find((each) => each !== undefined)
    if (doubt === undefined) return { name: 'key', state: 'ok', detail: 'TRIBUTARY_KEY' }
    const help = 'Put a new one in front (openssl rand -base64 32), then: tributary keyring rotate'
    return { name: 'key', state: 'warn', detail: `TRIBUTARY_KEY: a key ${doubt}`, help }
  } catch (error) {
    return failed('key', error)
  }
}

function checkAdminToken(config: Config): Diagnosis {
  const name = 'admin token'
  const file = join(config.dataDir, 'admin-token')
  if (config.adminToken === undefined && !existsSync(file))
    return { name, state: 'ok', detail: `${file} will be created at the first start` }
  try {
    const doubt = doubtAbout(Buffer.from(readAdminToken(config.adminToken, config.dataDir).token))
    const detail = config.adminToken === undefined ? file : 'TRIBUTARY_ADMIN_TOKEN'
    if (doubt === undefined) return { name, state: 'ok', detail }
    return { name, state: 'warn', detail: `${detail}: it ${doubt}`, help: 'Create one with: openssl rand -base64 32' }
  } catch (error) {
    return failed(name, error)
  }
}

async function checkDatabase(deps: DoctorDeps, { databaseReadUrl }: Config): Promise<Diagnosis[]> {
  try {
    return await deps.withDatabase(async (database) => {
      const before = deps.clock.now()
      const server = await readServer(database)
      const after = deps.clock.now()
      // Only a difference that exceeds the round trip is skew.
      const skewMs = Math.max(0, before - server.nowMs, server.nowMs - after)
      const { pending } = await planMigrations(database)
      const cluster = await findClusterReport(database)
      const replica =
        databaseReadUrl === undefined ? [] : [await deps.withReplica((queries) => checkReplica(database, queries))]
      return [
        { name: 'database', state: 'ok', detail: firstOf(server.version.split(' on ')) },
        pending.length === 0
          ? { name: 'migrations', state: 'ok', detail: 'up to date' }
          : {
              name: 'migrations',
              state: 'warn',
              detail: `${pending.length} pending`,
              help: 'Run: tributary migrate (serve does so at start)',
            },
        skewMs < SKEW_MS
          ? { name: 'clock', state: 'ok', detail: 'agrees with the database' }
          : {
              name: 'clock',
              state: 'fail',
              detail: `differs from the database's by ${Math.round(skewMs / 1000)} s`,
              help: 'Set the clock by NTP; services reject signed requests when it is wrong.',
            },
        ...(pending.length === 0
          ? [
              await checkLastBackup(database, deps.clock.now()),
              await checkMaintenance(database, deps.clock),
              await checkOverrides(database),
            ]
          : []),
        ...(cluster === undefined ? [] : [describeCluster(cluster)]),
        ...replica,
      ]
    })
  } catch (error) {
    return [failed('database', error)]
  }
}

function describeCluster({ nodes, problems }: ClusterReport): Diagnosis {
  const [first] = problems
  if (first === undefined)
    return { name: 'cluster', state: 'ok', detail: `${nodes.length} nodes, every table is where it belongs` }
  const more = problems.length === 1 ? '' : ` (and ${problems.length - 1} more: tributary cluster check)`
  return { name: 'cluster', state: 'fail', detail: `${first.problem}${more}`, help: first.help }
}

async function checkPort({ port, host }: Config): Promise<Diagnosis> {
  if (port === 0) return { name: 'port', state: 'ok', detail: 'any free one' }
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error) =>
      resolve({
        name: 'port',
        state: 'warn',
        detail: `${host}:${port} is in use (${codeOf(error)})`,
        help: `This is fine if Tributary uses it; otherwise choose another: --port ${port + 1}`,
      }),
    )
    server.listen(port, host, () =>
      server.close(() => resolve({ name: 'port', state: 'ok', detail: `${host}:${port} is free` })),
    )
  })
}

/** Reached by others, but nobody else is sent to `localhost`. */
export function checkAddress({ host, baseUrl }: Pick<Config, 'host' | 'baseUrl'>): Diagnosis {
  const { hostname } = new URL(baseUrl)
  const isOfThisMachine = hostname === 'localhost' || isLoopbackAddress(hostname.replace(/^\[|\]$/g, ''))
  if (isLoopbackAddress(host) || !isOfThisMachine) return { name: 'address', state: 'ok', detail: baseUrl }
  return {
    name: 'address',
    state: 'warn',
    detail: `it listens on ${host}, but sends people and services to ${baseUrl}`,
    help: 'Set BASE_URL to the address at which they reach it.',
  }
}

export function checkEgress({
  allowPrivate,
  allowPrivateTyped,
}: Pick<Config, 'allowPrivate' | 'allowPrivateTyped'>): Diagnosis {
  const [any, wide] = [allowPrivate.filter(isAnyNetwork), allowPrivateTyped.filter(isWideForStrangers)]
  if (any.length > 0)
    return {
      name: 'egress',
      state: 'warn',
      detail: `outgoing calls may reach any network (${any.join(', ')})`,
      help: 'List only the networks you need in TRIBUTARY_ALLOW_PRIVATE.',
    }
  if (wide.length > 0)
    return {
      name: 'egress',
      state: 'warn',
      detail: `everybody who can open a sign-in page can have this server call ${wide.join(', ')}`,
      help: 'List only the servers that people use, such as 10.1.2.3/32, in TRIBUTARY_ALLOW_PRIVATE_TYPED.',
    }
  const said = [
    ...(allowPrivate.length === 0 ? [] : [`private networks allowed: ${allowPrivate.join(', ')}`]),
    ...(allowPrivateTyped.length === 0 ? [] : [`for servers that people name: ${allowPrivateTyped.join(', ')}`]),
  ]
  return { name: 'egress', state: 'ok', detail: said.length === 0 ? 'private networks are refused' : said.join('; ') }
}

const isAnyNetwork = (network: string): boolean => network.endsWith('/0')

/** More than 256 addresses, or this machine, the cloud's metadata service and their neighbours. */
function isWideForStrangers(network: string): boolean {
  const bits = Number(network.split('/')[1])
  const isLocal = /^(?:127\.|169\.254\.|0\.|::|fe80:)/i.test(network)
  return isLocal || bits < (network.includes(':') ? 120 : 24)
}

function failed(name: string, error: unknown): Diagnosis {
  if (error instanceof SetupError) return { name, state: 'fail', detail: error.message, help: error.help }
  return {
    name,
    state: 'fail',
    detail: reasonOf(error),
    help: 'See the message; tributary doctor --json prints all of it.',
  }
}
