import type { auditSearch } from '../../search.ts'

export type AuditAddress = ReturnType<typeof auditSearch>

/** The filters of the address as the API takes them. The last day is included whole. */
export function filtersOf({ of, actor, action, account, from, to }: AuditAddress) {
  const [since, until] = [midnightOf(from, 0), midnightOf(to, 1)]
  return {
    ...(of === undefined ? {} : { app: of }),
    ...(actor === undefined ? {} : { actor }),
    ...(action === undefined ? {} : { action }),
    ...(account === undefined ? {} : { account }),
    ...(Number.isNaN(since) ? {} : { since }),
    ...(Number.isNaN(until) ? {} : { until }),
  }
}

/** The beginning of a day in the time zone of the browser, as dates are entered and times are shown. */
function midnightOf(day: string | undefined, daysLater: number): number {
  const at = new Date(`${day}T00:00`)
  return at.setDate(at.getDate() + daysLater)
}
