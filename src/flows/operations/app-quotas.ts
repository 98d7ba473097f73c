import type { QuotaSettings } from '#model/apps/quota-variables.ts'
import { effectiveQuotas, QUOTA_NAMES, type QuotaInput, type QuotaName } from '#model/apps/quotas.ts'
import { ApiError } from '#model/errors.ts'
import type { Clock } from '#platform/clock.ts'
import type { Database } from '#platform/postgres/database.ts'
import { findApp, findAppQuotas, setAppQuotas } from '#store/apps/apps.ts'
import { auditApp } from '#store/audit.ts'
import { reviewApp } from './maintenance/review-quotas.ts'

export interface QuotasDeps {
  database: Database
  clock: Clock
  config?: Partial<QuotaSettings> | undefined
}

/** A limit as the API and the CLI show it; null: no limit. */
export interface QuotaLimit {
  limit: number | null
  /** Whether it was set for this app; otherwise it is the default of the installation. */
  own: boolean
}

export type QuotaLimits = Record<QuotaName, QuotaLimit>

export async function getQuotas({ database, config }: QuotasDeps, appId: string): Promise<QuotaLimits> {
  if ((await findApp(database, appId)) === undefined) throw noApp(appId)
  return presentQuotas(config, await findAppQuotas(database, appId))
}

/** Replaces the quotas of an app; a missing one gets its default. Endpoints that a quota stopped continue if it now allows it. */
export async function setQuotas(
  deps: QuotasDeps,
  appId: string,
  input: QuotaInput,
  actor: string,
): Promise<QuotaLimits> {
  const { database, clock, config } = deps
  const given = Object.fromEntries(Object.entries(input).filter(([, limit]) => limit !== undefined)) as QuotaInput
  await database.transaction(async (tx) => {
    if (!(await setAppQuotas(tx, appId, given))) throw noApp(appId)
    await auditApp(tx, appId, { at: clock.now(), actor, action: 'app.quotas', detail: { ...given } })
  })
  await reviewApp(deps, appId)
  return presentQuotas(config, given)
}

function presentQuotas(config: QuotasDeps['config'], input: QuotaInput): QuotaLimits {
  const quotas = effectiveQuotas(config, input)
  const one = (name: QuotaName): [QuotaName, QuotaLimit] => [
    name,
    { limit: presentLimit(quotas[name]), own: input[name] !== undefined },
  ]
  return Object.fromEntries(QUOTA_NAMES.map(one)) as QuotaLimits
}

export function presentLimit(limit: number): number | null {
  return Number.isFinite(limit) ? limit : null
}

export function noApp(id: string): ApiError {
  return new ApiError('not_found', `There is no app ${id}.`)
}
