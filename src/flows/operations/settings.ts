import type { Config } from '#config/config.ts'
import { SESSION_IDLE_MS, SESSION_LIFETIME_MS } from '#model/apps/operator.ts'
import { QUOTA_VARIABLES, type QuotaSettings } from '#model/apps/quota-variables.ts'
import type { Clock } from '#platform/clock.ts'
import type { Keyring } from '#platform/crypto/sealing.ts'
import type { LaneView } from '#platform/isolation/lane.ts'
import type { Database } from '#platform/postgres/database.ts'
import { isSharded } from '#store/cluster/is-sharded.ts'
import { planMigrations } from '#store/migrate.ts'
import { readServer } from '#store/server.ts'
import { presentLimit } from './app-quotas.ts'
import { OLD_BACKUP_MS, readLastBackup } from './last-backup.ts'
import { RETENTION_MS } from './maintenance/retention.ts'
import { maintenanceStates } from './maintenance/task-states.ts'
import { stateOfLane } from './overview.ts'

export interface SettingsDeps {
  database: Database
  clock: Clock
  keyring: Keyring
  keyFile: string | undefined
  version: string
  config: Pick<
    Config,
    'auditDays' | 'baseUrl' | 'databaseUrl' | 'logDays' | 'databaseReadUrl' | 'trustProxy' | keyof QuotaSettings
  >
  workers: () => LaneView[]
}

const DAY_MS = 86_400_000

/** What an operator looks up about the installation; without secrets, addresses of databases and paths. */
export async function readSettings(deps: SettingsDeps) {
  const { config, keyring, keyFile } = deps
  const [server, sharded, { pending }, last, tasks] = await Promise.all([
    readServer(deps.database),
    isSharded(deps.database),
    planMigrations(deps.database),
    readLastBackup(deps.database, deps.clock.now()),
    maintenanceStates(deps),
  ])
  return {
    version: deps.version,
    base_url: config.baseUrl,
    trusted_proxies: config.trustProxy.length,
    database: {
      kind: config.databaseUrl === undefined ? ('embedded' as const) : ('external' as const),
      version: /^PostgreSQL \S+/.exec(server.version)?.[0] ?? server.version,
      sharded,
      replica: config.databaseReadUrl !== undefined,
      pending_migrations: pending?.length ?? 0,
    },
    keys: {
      source: keyFile === undefined ? ('TRIBUTARY_KEY' as const) : ('file' as const),
      newest: keyring.primaryId.toString('hex'),
      old: keyring.size - 1,
      commands: ['tributary keyring rotate', 'tributary keyring prune'],
    },
    backups: {
      ...(last === undefined ? {} : { last }),
      old_after_days: OLD_BACKUP_MS / DAY_MS,
      commands: [
        'tributary backup create FILE --verify',
        'tributary backup verify FILE --record',
        'tributary backup restore FILE',
      ],
    },
    retention: Object.entries({ log: config.logDays * DAY_MS, audit: config.auditDays * DAY_MS, ...RETENTION_MS }).map(
      ([what, ms]) => ({
        what,
        days: ms / DAY_MS,
      }),
    ),
    maintenance: tasks.map(({ task, succeededAt, failedAt, error, fails, done, isLate }) => ({
      task,
      ...(succeededAt === undefined ? {} : { succeeded_at: succeededAt }),
      ...(failedAt === undefined ? {} : { failed_at: failedAt }),
      ...(error === undefined ? {} : { error }),
      fails,
      rows: done,
      late: isLate,
    })),
    quotas: Object.entries(QUOTA_VARIABLES).map(([key, { name, meaning }]) => ({
      name,
      meaning,
      limit: presentLimit(config[key as keyof QuotaSettings]),
    })),
    sessions: { idle_hours: SESSION_IDLE_MS / 3_600_000, days: SESSION_LIFETIME_MS / DAY_MS },
    workers: deps.workers().map(({ lane, pid, ready, memoryBytes, deaths }) => {
      const died = deaths.reduce((sum, { count }) => sum + count, 0)
      const state = stateOfLane({ pid, ready }, died)
      return { lane, pid, ready, state, memory_bytes: memoryBytes, deaths: died }
    }),
  }
}
