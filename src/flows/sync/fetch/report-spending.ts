import { formatMoney, type Micros } from '#model/apps/money.ts'
import { auditApp } from '#store/audit.ts'
import { queueEvent } from '#store/push/events.ts'
import { markLimitReached, markServiceUnpaid, type SpendingKey } from '#store/sync/spending.ts'
import type { SyncDeps } from '../deps.ts'

/** Wait before a service that wants to be paid first is called again, unless it says another. */
const UNPAID_WAIT_MS = 3_600_000

/** Tells the app once in a month that its limit is reached. */
export async function reportLimitReached(
  { database, clock }: Pick<SyncDeps, 'database' | 'clock'>,
  key: SpendingKey,
  { currency, limit, spent, resetsAt }: { currency: string; limit: Micros; spent: Micros; resetsAt: number },
): Promise<void> {
  const at = clock.now()
  const { appId, service } = key
  await database.transaction(async (tx) => {
    if (!(await markLimitReached(tx, key, currency, at))) return
    const amounts = { limit: formatMoney(limit), spent: formatMoney(spent), currency }
    const detail = { service, ...amounts, resets_at: resetsAt }
    await auditApp(tx, appId, { at, actor: 'tributary', action: 'spending.reached', detail })
    await queueEvent(tx, appId, 'spending.reached', at, detail)
  })
}

/** Stops all priced endpoints of the app at the service for a while, and tells the app once. */
export async function reportUnpaid(
  { database, clock }: Pick<SyncDeps, 'database' | 'clock'>,
  key: SpendingKey,
  retryAfterMs: number | undefined,
): Promise<void> {
  const at = clock.now()
  const { appId, service } = key
  const untilMs = at + Math.max(retryAfterMs ?? 0, UNPAID_WAIT_MS)
  await database.transaction(async (tx) => {
    if (!(await markServiceUnpaid(tx, key, { nowMs: at, untilMs }))) return
    const detail = { service, retry_at: untilMs }
    await auditApp(tx, appId, { at, actor: 'tributary', action: 'spending.unpaid', detail })
    await queueEvent(tx, appId, 'spending.unpaid', at, detail)
  })
}
