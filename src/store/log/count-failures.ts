import { encodeNumber } from '#platform/crypto/ids.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

/** How many sign-ins or syncs of an app did not work, for one reason. */
export interface FailureCount {
  appId: string
  kind: 'sign_in' | 'sync'
  service: string | undefined
  outcome: 'failed' | 'refused'
  reason: string | undefined
  n: number
}

// By the index of what did not work. Ids begin with their time, so the index has it. An open sign-in that has expired was abandoned.
const count = statement(
  'overview-failures',
  `select app_id as "appId", kind, service, case when outcome = 'open' then 'refused' else outcome end as outcome, reason,
     count(*)::int as n
   from operation
   where outcome <> 'ok' and id >= $since and (outcome <> 'open' or expires_at < $nowMs) group by 1, 2, 3, 4, 5`,
)

/** Of all apps, so callers keep the result for a while. */
export async function countFailures(queries: Queries, sinceMs: number, nowMs: number): Promise<FailureCount[]> {
  type Row = Omit<FailureCount, 'service' | 'reason'> & { service: string | null; reason: string | null }
  const rows = await queries.rows<Row>(count.with({ since: encodeNumber(sinceMs, 10), nowMs }))
  return rows.map(({ service, reason, ...row }) => ({
    ...row,
    service: service ?? undefined,
    reason: reason ?? undefined,
  }))
}
