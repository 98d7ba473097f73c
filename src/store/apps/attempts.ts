import { firstOf } from '#platform/formats/list-ends.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { type Batch, deleteBatch, deleteSome } from '../delete-in-batches.ts'

const findCounts = statement(
  'attempt-read',
  'select subject, failures from attempt where subject = any($subjects) and window_start = $windowStart',
)
// One statement per subject: a statement that locks several rows, in several shards, can deadlock with another.
const increment = statement(
  'attempt-reserve',
  `insert into attempt (subject, failures, window_start) values ($subject, 1, $windowStart)
   on conflict (subject) do update set window_start = excluded.window_start,
     failures = case when attempt.window_start = excluded.window_start then attempt.failures + 1 else 1 end
   returning failures`,
)
const decrement = statement(
  'attempt-release',
  `update attempt set failures = failures - 1
   where subject = $subject and window_start = $windowStart and failures > 0`,
)
const purge = statement('attempt-purge', deleteSome('attempt', 'subject', 'window_start < $before'))

interface Row {
  subject: string
  failures: number
}

/** Failures of these subjects in this window, counted over all processes. */
export async function countAttempts(
  queries: Queries,
  subjects: string[],
  windowStart: number,
): Promise<Map<string, number>> {
  const rows = await queries.rows<Row>(findCounts.with({ subjects, windowStart }))
  return new Map(rows.map(({ subject, failures }) => [subject, failures]))
}

/**
 * Adds one to each count before the secrets are compared. Returns the new counts. A crash in between leaves some of them
 * counted, until the window ends.
 */
export async function reserveAttempts(
  queries: Queries,
  subjects: string[],
  windowStart: number,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const subject of subjects) {
    const { failures } = firstOf(await queries.rows<Pick<Row, 'failures'>>(increment.with({ subject, windowStart })))
    counts.set(subject, failures)
  }
  return counts
}

/** Takes a reserved failure back, because the secret was right. */
export async function releaseAttempts(queries: Queries, subjects: string[], windowStart: number): Promise<void> {
  for (const subject of subjects) await queries.count(decrement.with({ subject, windowStart }))
}

export function purgeAttempts(queries: Queries, before: number): Promise<Batch> {
  return deleteBatch(queries, purge.with({ before }))
}
