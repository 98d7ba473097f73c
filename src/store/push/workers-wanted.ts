import { type Queries, statement } from '#platform/postgres/database.ts'

const find = statement(
  'destination-workers',
  `select count(*) > 0 as deliver, coalesce(bool_or(alone_until > $nowMs and state in ('active', 'failing')), false) as alone
   from destination`,
)

/** Whether there is a destination, and one with which a worker died. */
export async function workersWanted(queries: Queries, nowMs: number): Promise<{ deliver: boolean; alone: boolean }> {
  const [row] = await queries.rows<{ deliver: boolean; alone: boolean }>(find.with({ nowMs }))
  return row!
}
