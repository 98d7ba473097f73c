import { type Queries, statement } from './database.ts'
import type { ProfileKey } from './sync-schedule.ts'

export interface BadRecord {
  id: string
  reason: string
  sample: string
}

const SAMPLES_KEPT = 100

// The same bad record comes with every run; only the first time it is news.
const insert = statement(
  'quarantine-insert',
  `insert into quarantine (part, profile_id, endpoint, id, reason, sample, seen_at)
   select $1, $2, $3, b.id, b.reason, b.sample, $4 from unnest($5::text[], $6::text[], $7::text[]) as b (id, reason, sample)
   on conflict (part, profile_id, endpoint, id) do nothing`,
)
const trim = statement(
  'quarantine-trim',
  `delete from quarantine where part = $1 and profile_id = $2 and endpoint = $3 and id in (
     select id from quarantine where part = $1 and profile_id = $2 and endpoint = $3 order by seen_at desc, id offset ${SAMPLES_KEPT})`,
)
const list = statement(
  'quarantine-list',
  'select id, reason, sample from quarantine where part = $1 and profile_id = $2 and endpoint = $3 order by seen_at desc, id',
)

/** Kept as samples for whoever mends the reader; the newest hundred of each endpoint. Gives how many were not known. */
export async function quarantineRecords(
  tx: Queries,
  key: ProfileKey,
  endpoint: string,
  records: BadRecord[],
  nowMs: number,
): Promise<number> {
  if (records.length === 0) return 0
  const distinct = [...new Map(records.map((record) => [record.id, record])).values()]
  const added = await tx.count(insert, [
    key.part,
    key.profileId,
    endpoint,
    nowMs,
    distinct.map(({ id }) => id),
    distinct.map(({ reason }) => reason),
    distinct.map(({ sample }) => sample),
  ])
  if (added > 0) await tx.count(trim, [key.part, key.profileId, endpoint])
  return added
}

export async function listQuarantine(queries: Queries, key: ProfileKey, endpoint: string): Promise<BadRecord[]> {
  return queries.rows<BadRecord & object>(list, [key.part, key.profileId, endpoint])
}
