import { type Queries, statement } from '#platform/postgres/database.ts'

const findCounts = statement(
  'attempt-read',
  'select subject, failures from attempt where subject = any($subjects) and window_start = $windowStart',
)
const increment = statement(
  'attempt-reserve',
  `insert into attempt (subject, failures, window_start)
   select subject, 1, $windowStart from unnest($subjects::text[]) as given(subject)
   on conflict (subject) do update set window_start = excluded.window_start,
     failures = case when attempt.window_start = excluded.window_start then attempt.failures + 1 else 1 end
   returning subject, failures`,
)
const decrement = statement(
  'attempt-release',
  `update attempt set failures = failures - 1
   where subject = any($subjects) and window_start = $windowStart and failures > 0`,
)
const purge = statement('attempt-purge', 'delete from attempt where window_start < $before')

interface Row {
  subject: string
  failures: number
}

const bySubject = (rows: Row[]) => new Map(rows.map(({ subject, failures }) => [subject, failures]))

/** Failures of these subjects in this window, counted over all processes. */
export async function countAttempts(
  queries: Queries,
  subjects: string[],
  windowStart: number,
): Promise<Map<string, number>> {
  return bySubject(await queries.rows<Row>(findCounts.with({ subjects, windowStart })))
}

/** Adds one to each count before the secrets are compared. Returns the new counts. */
export async function reserveAttempts(
  queries: Queries,
  subjects: string[],
  windowStart: number,
): Promise<Map<string, number>> {
  return bySubject(await queries.rows<Row>(increment.with({ subjects, windowStart })))
}

/** Takes a reserved failure back, because the secret was right. */
export async function releaseAttempts(queries: Queries, subjects: string[], windowStart: number): Promise<void> {
  await queries.count(decrement.with({ subjects, windowStart }))
}

export async function purgeAttempts(queries: Queries, before: number): Promise<number> {
  return queries.count(purge.with({ before }))
}
