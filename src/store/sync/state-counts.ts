import { type Queries, statement } from '#platform/postgres/database.ts'

export interface StateCounts {
  profiles: { service: string; state: string; n: number }[]
  /** Endpoints whose last run failed, by the reason. */
  failing: { service: string; reason: string; n: number }[]
}

const countProfiles = statement(
  'profile-state-counts',
  `select service, case when state = 'limited' and state_until <= $nowMs then 'active' else state end as state,
     count(*)::int as n
   from profile where merged_into is null group by 1, 2`,
)
const countFailing = statement(
  'endpoint-reason-counts',
  `select p.service, e.last_reason as reason, count(*)::int as n
   from endpoint_sync e join profile_sync p on p.shard = e.shard and p.profile_id = e.profile_id
   where e.last_reason is not null group by 1, 2`,
)

/** For metrics: reads every profile, so callers keep the result for a while. */
export async function countStates(queries: Queries, nowMs: number): Promise<StateCounts> {
  return {
    profiles: await queries.rows<StateCounts['profiles'][number]>(countProfiles.with({ nowMs })),
    failing: await queries.rows<StateCounts['failing'][number]>(countFailing),
  }
}
