import { type Queries, statement } from '#platform/postgres/database.ts'

/** A number for one endpoint of a service, over all profiles. */
export interface EndpointCount {
  service: string
  endpoint: string
  n: number
}

const countFaults = statement(
  'fault-counts',
  `select p.service, e.endpoint, sum(e.faults)::float as n
   from endpoint_sync e join profile_sync p on p.shard = e.shard and p.profile_id = e.profile_id
   where e.faults > 0 group by p.service, e.endpoint`,
)
const countQuarantined = statement(
  'quarantine-counts',
  `select p.service, e.endpoint, sum(e.quarantined)::float as n
   from endpoint_sync e join profile_sync p on p.shard = e.shard and p.profile_id = e.profile_id
   where e.quarantined > 0 group by p.service, e.endpoint`,
)

/** For metrics: fields that readers could not read, and quarantined records. */
export async function countFaultsAndQuarantined(
  queries: Queries,
): Promise<{ faults: EndpointCount[]; quarantined: EndpointCount[] }> {
  return {
    faults: await queries.rows<EndpointCount & object>(countFaults),
    quarantined: await queries.rows<EndpointCount & object>(countQuarantined),
  }
}
