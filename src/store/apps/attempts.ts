import { type Queries, statement } from '#platform/postgres/database.ts'

const read = statement(
  'attempt-read',
  'select subject, failures from attempt where subject = any($1) and window_start = $2',
)
const reserve = statement(
  'attempt-reserve',
  `insert into attempt (subject, failures, window_start) select subject, 1, $2 from unnest($1::text[]) as given(subject)
   on conflict (subject) do update set window_start = excluded.window_start,
     failures = case when attempt.window_start = excluded.window_start then attempt.failures + 1 else 1 end
   returning subject, failures`,
)
const release = statement(
  'attempt-release',
  'update attempt set failures = failures - 1 where subject = any($1) and window_start = $2 and failures > 0',
)
const purge = statement('attempt-purge', 'delete from attempt where window_start < $1')

interface Row {
  subject: string
  failures: number
}

const bySubject = (rows: Row[]) => new Map(rows.map(({ subject, failures }) => [subject, failures]))

/** Failures of these subjects in this window, over all processes. */
export async function countAttempts(
  queries: Queries,
  subjects: string[],
  windowStart: number,
): Promise<Map<string, number>> {
  return bySubject(await queries.rows<Row>(read, [subjects, windowStart]))
}

/** Counts one more for each before anything is compared, and gives the new counts. */
export async function reserveAttempts(
  queries: Queries,
  subjects: string[],
  windowStart: number,
): Promise<Map<string, number>> {
  return bySubject(await queries.rows<Row>(reserve, [subjects, windowStart]))
}

/** It was no wrong one after all. */
export async function releaseAttempts(queries: Queries, subjects: string[], windowStart: number): Promise<void> {
  await queries.count(release, [subjects, windowStart])
}

export async function purgeAttempts(queries: Queries, before: number): Promise<number> {
  return queries.count(purge, [before])
}
