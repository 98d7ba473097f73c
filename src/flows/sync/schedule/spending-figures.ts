import { monthOf } from '#model/apps/money.ts'
import { findAppSync } from '#store/apps/apps.ts'
import { listAllSpending } from '#store/sync/spending.ts'
import type { SyncDeps } from '../deps.ts'

const MICROS = 1_000_000

/** For metrics: what apps have spent this month, and their limits. Gauges are floating point; nothing is calculated with them. */
export async function spendingFigures({
  database,
  clock,
}: Pick<SyncDeps, 'database' | 'clock'>): Promise<
  { app: string; service: string; currency: string; spent: number; limit: number | undefined }[]
> {
  const rows = await listAllSpending(database, monthOf(clock.now()))
  const limits = new Map(
    await Promise.all(
      [...new Set(rows.map(({ appId }) => appId))].map(
        async (appId) => [appId, (await findAppSync(database, appId)).spending] as const,
      ),
    ),
  )
  return rows.map(({ appId, service, currency, spent }) => {
    const limit = limits.get(appId)?.[service]?.micros
    return { app: appId, service, currency, spent: spent / MICROS, limit: limit === undefined ? limit : limit / MICROS }
  })
}
