import { type Queries, statement } from '#platform/postgres/database.ts'

/** How much of an endpoint is kept aside, over all profiles. */
export interface AsideCount {
  service: string
  endpoint: string
  n: number
}

const faults = statement(
  'aside-faults',
  `select p.service, e.endpoint, sum(e.faults)::float as n from endpoint_sync e join profile_sync p on p.shard = e.shard and p.profile_id = e.profile_id
   where e.faults > 0 group by p.service, e.endpoint`,
)
const quarantined = statement(
  'aside-quarantined',
  `select p.service, e.endpoint, sum(e.quarantined)::float as n from endpoint_sync e join profile_sync p on p.shard = e.shard and p.profile_id = e.profile_id
   where e.quarantined > 0 group by p.service, e.endpoint`,
)

/** For metrics: lost fields and quarantined records. */
export async function countAside(queries: Queries): Promise<{ faults: AsideCount[]; quarantined: AsideCount[] }> {
  return {
    faults: await queries.rows<AsideCount & object>(faults),
    quarantined: await queries.rows<AsideCount & object>(quarantined),
  }
}
