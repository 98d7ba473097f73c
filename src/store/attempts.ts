import { type Queries, statement } from './database.ts'

const read = statement('attempt-read', 'select failures from attempt where subject = $1 and window_start = $2')
const add = statement(
  'attempt-add',
  `insert into attempt (subject, failures, window_start) values ($1, 1, $2)
   on conflict (subject) do update set window_start = excluded.window_start,
     failures = case when attempt.window_start = excluded.window_start then attempt.failures + 1 else 1 end`,
)
const purge = statement('attempt-purge', 'delete from attempt where window_start < $1')

/** Failures of this subject in this window, over all processes. */
export async function countAttempts(queries: Queries, subject: string, windowStart: number): Promise<number> {
  const [row] = await queries.rows<{ failures: number }>(read, [subject, windowStart])
  return row?.failures ?? 0
}

export async function addAttempt(queries: Queries, subject: string, windowStart: number): Promise<void> {
  await queries.count(add, [subject, windowStart])
}

export async function purgeAttempts(queries: Queries, before: number): Promise<number> {
  return queries.count(purge, [before])
}
