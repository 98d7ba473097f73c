import { codeOf, reasonOf } from '#platform/errors.ts'
import type { Database, Queries } from '#platform/postgres/database.ts'
import { type QueueDepth, readQueueDepths } from '#platform/queue/jobs.ts'
import { planMigrations } from '#store/migrate.ts'
import { QUEUE_NAMES, type QueueName } from '#store/queues.ts'
import type { Hasher } from '#store/vault.ts'

export interface HealthDeps {
  database: Database
  /** Where the job engine has its tables. */
  engineDatabase: Queries
  /** There only once the key has opened the vault. */
  hasher: Hasher
  isDraining: () => boolean
}

export interface Check {
  ok: boolean
  detail: string
}

interface Looked {
  check: Check
  /** The database gave an answer, whatever it was. */
  responded: boolean
}

export interface Readiness {
  ready: boolean
  checks: Record<'database' | 'migrations' | 'key' | 'queue' | 'serving', Check>
}

/** Work that waits longer than this means that nobody works. */
const QUEUE_LAG_MS = 5 * 60_000
const RESPOND_WITHIN_MS = 5000

export async function checkReadiness(deps: HealthDeps): Promise<Readiness> {
  const [migrations, queue] = await Promise.all([
    check(async () => {
      const { pending } = await planMigrations(deps.database).catch(besideNewer)
      if (pending === undefined) return { ok: true, detail: 'a newer release has migrated; this one serves beside it' }
      return {
        ok: pending.length === 0,
        detail: pending.length === 0 ? 'up to date' : `${pending.length} pending: run tributary migrate`,
      }
    }),
    check(async () => {
      const oldestMs = Math.max(
        0,
        ...(await readQueueDepths(deps.engineDatabase, QUEUE_NAMES)).map((each) => each.oldestMs),
      )
      return { ok: oldestMs < QUEUE_LAG_MS, detail: `oldest waiting job ${Math.round(oldestMs / 1000)} s` }
    }),
  ])
  const draining = deps.isDraining()
  const checks = {
    database: migrations.responded ? { ok: true, detail: 'answers' } : migrations.check,
    migrations: migrations.check,
    key: { ok: true, detail: 'opens the vault' },
    queue: queue.check,
    serving: { ok: !draining, detail: draining ? 'stopping' : 'taking requests' },
  }
  return { ready: Object.values(checks).every(({ ok }) => ok), checks }
}

export async function queueDepths({ engineDatabase }: HealthDeps): Promise<QueueDepth<QueueName>[]> {
  return readQueueDepths(engineDatabase, QUEUE_NAMES)
}

/** Migrations only add to what the release before needs, so in a rolling upgrade that one stays in service. */
function besideNewer(error: unknown): { pending: undefined } {
  if (codeOf(error) === 'schema_newer') return { pending: undefined }
  throw error
}

async function check(look: () => Promise<Check>): Promise<Looked> {
  let timer: NodeJS.Timeout | undefined
  const unanswered = (detail: string): Looked => ({ check: { ok: false, detail }, responded: false })
  const late = new Promise<Looked>((resolve) => {
    timer = setTimeout(() => resolve(unanswered(`no answer within ${RESPOND_WITHIN_MS / 1000} s`)), RESPOND_WITHIN_MS)
  })
  try {
    return await Promise.race([look().then((found) => ({ check: found, responded: true })), late])
  } catch (error) {
    return unanswered(reasonOf(error))
  } finally {
    clearTimeout(timer)
  }
}
