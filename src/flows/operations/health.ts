import { MAINTENANCE } from '#model/maintenance.ts'
import type { Clock } from '#platform/clock.ts'
import { codeOf, reasonOf } from '#platform/errors.ts'
import type { Database } from '#platform/postgres/database.ts'
import { planMigrations } from '#store/migrate.ts'
import { endOfNamedLease } from '#store/named-leases.ts'
import type { Hasher } from '#store/vault.ts'

export interface HealthDeps {
  database: Database
  clock: Clock
  /** Exists only after the key has opened the vault, so that its presence proves the key. */
  hasher: Hasher
  isDraining: () => boolean
}

export interface Check {
  ok: boolean
  detail: string
}

interface CheckResult {
  check: Check
  /** The database responded, even if with an error. */
  responded: boolean
}

export interface Readiness {
  ready: boolean
  checks: Record<'database' | 'migrations' | 'key' | 'queue' | 'serving', Check>
}

/** Maintenance that nobody begins for so long means that no worker runs, whichever process should. */
const WORKERS_LAG_MS = 5 * 60_000
const RESPOND_WITHIN_MS = 5000

export async function checkReadiness(deps: HealthDeps): Promise<Readiness> {
  const [migrations, queue] = await Promise.all([
    check(async () => {
      const { pending } = await planMigrations(deps.database).catch(acceptNewerSchema)
      if (pending === undefined) return { ok: true, detail: 'migrated by a newer release, which this one can run with' }
      return {
        ok: pending.length === 0,
        detail: pending.length === 0 ? 'up to date' : `${pending.length} pending: run tributary migrate`,
      }
    }),
    check(async () => {
      const dueAt = await endOfNamedLease(deps.database, MAINTENANCE)
      const lateMs = dueAt === undefined ? 0 : Math.max(0, deps.clock.now() - dueAt)
      return { ok: lateMs < WORKERS_LAG_MS, detail: `maintenance is late by ${Math.round(lateMs / 1000)} s` }
    }),
  ])
  const draining = deps.isDraining()
  const checks = {
    database: migrations.responded ? { ok: true, detail: 'responds' } : migrations.check,
    migrations: migrations.check,
    key: { ok: true, detail: 'opens the vault' },
    queue: queue.check,
    serving: { ok: !draining, detail: draining ? 'stopping' : 'accepting requests' },
  }
  return { ready: Object.values(checks).every(({ ok }) => ok), checks }
}

/** Migrations keep what the previous release needs, so it stays ready during a rolling upgrade. */
function acceptNewerSchema(error: unknown): { pending: undefined } {
  if (codeOf(error) === 'schema_newer') return { pending: undefined }
  throw error
}

async function check(run: () => Promise<Check>): Promise<CheckResult> {
  let timer: NodeJS.Timeout | undefined
  const failed = (detail: string): CheckResult => ({ check: { ok: false, detail }, responded: false })
  const timeout = new Promise<CheckResult>((resolve) => {
    timer = setTimeout(() => resolve(failed(`no response within ${RESPOND_WITHIN_MS / 1000} s`)), RESPOND_WITHIN_MS)
  })
  try {
    return await Promise.race([run().then((found) => ({ check: found, responded: true })), timeout])
  } catch (error) {
    return failed(reasonOf(error))
  } finally {
    clearTimeout(timer)
  }
}
