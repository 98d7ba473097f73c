import type { Destination } from '#model/apps/destination.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { isSharded } from '../cluster/is-sharded.ts'
import { type DestinationRow, destinationColumns, toDestination } from './destinations.ts'

const mayRun = `(d.state = 'active' or (d.state = 'failing' and d.next_attempt_at <= $nowMs))`
const findDue = statement(
  'destination-due',
  `select found.* from (
     select ${destinationColumns}, (
         select count(*) from (
           select 1 from delivery_cursor c where c.destination_id = d.id and c.due_at <= $nowMs limit $maxCount) c
       ) as due,
       exists (select 1 from push_event e where e.destination_id = d.id) as has_events
     from destination d where ${mayRun}) found
   where found.due > 0 or found.has_events`,
)
const isDueItself = `((d.pending_sweep->>'at')::bigint < $sweepsBeforeMs
     or (d.next_run_at <= $nowMs and d.state in ('active', 'failing')))`
// What the looks of a planner find in several statements, for a process that has nothing to do.
const findAny = statement(
  'destination-any-due',
  `select 1 from destination d
   where ${isDueItself}
     or (${mayRun} and (exists (select 1 from push_event e where e.destination_id = d.id)
       or exists (select 1 from delivery_cursor c where c.destination_id = d.id and c.due_at <= $nowMs)))
   limit 1`,
)
// On a sharded server: the destinations, which every node has, then what is due in the shards.
const findRunnable = statement(
  'destination-runnable',
  `select ${destinationColumns} from destination d where ${mayRun}`,
)
const findWatched = statement(
  'destination-watched',
  `select d.id, ${isDueItself} is true as is_due from destination d where ${isDueItself} or ${mayRun}`,
)
const findAnyInShards = statement(
  'destination-any-due-in-shards',
  `select 1 from (select 1 from delivery_cursor where destination_id = any($ids) and due_at <= $nowMs limit 1) c
   union all select 1 from (select 1 from push_event where destination_id = any($ids) limit 1) e`,
)
const countDue = statement(
  'destination-due-counts',
  `select destination_id, count(*) as n from delivery_cursor
   where destination_id = any($ids) and due_at <= $nowMs group by destination_id`,
)
const findSomeDue = statement(
  'destination-due-some',
  'select shard from delivery_cursor where destination_id = $id and due_at <= $nowMs limit $limit',
)
const findWithEvents = statement(
  'destination-with-events',
  'select distinct destination_id from push_event where destination_id = any($ids)',
)
const findErasure = statement(
  'destination-erasing',
  'select 1 from delivery_cursor where destination_id = $id and due_at <= $nowMs and erase limit 1',
)

export interface DueDestination {
  destination: Destination
  /** Profiles that are due, at most `maxCount`. */
  due: number
}

/** Destinations with something to deliver that are active, or failing and due for another attempt. */
export async function dueDestinations(queries: Queries, nowMs: number, maxCount: number): Promise<DueDestination[]> {
  if (await isSharded(queries)) return dueInShards(queries, nowMs, maxCount)
  const rows = await queries.rows<DestinationRow & { due: number }>(findDue.with({ nowMs, maxCount }))
  return rows.map((row) => ({ destination: toDestination(row), due: row.due }))
}

/** Whether any destination is due, has a run of its schedule due, or a sweep that began before. */
export async function isAnyDue(queries: Queries, nowMs: number, sweepsBeforeMs: number): Promise<boolean> {
  if (await isSharded(queries)) return isAnyDueInShards(queries, nowMs, sweepsBeforeMs)
  return (await queries.rows(findAny.with({ nowMs, sweepsBeforeMs }))).length > 0
}

async function isAnyDueInShards(queries: Queries, nowMs: number, sweepsBeforeMs: number): Promise<boolean> {
  const watched = await queries.rows<{ id: string; is_due: boolean }>(findWatched.with({ nowMs, sweepsBeforeMs }))
  if (watched.some(({ is_due }) => is_due)) return true
  const ids = watched.map(({ id }) => id)
  return ids.length > 0 && (await queries.rows(findAnyInShards.with({ ids, nowMs }))).length > 0
}

export async function hasErasures(queries: Queries, id: string, nowMs: number): Promise<boolean> {
  return (await queries.rows(findErasure.with({ id, nowMs }))).length > 0
}

/** Limit: due cursors of a destination that are counted together with those of others, on a sharded server. */
const MAX_COUNTED = 100
/** Destinations that had more, as a process remembers them. A backfill of a million profiles is not counted every second. */
const backlogs = new WeakMap<Queries, Set<string>>()

async function dueInShards(queries: Queries, nowMs: number, maxCount: number): Promise<DueDestination[]> {
  const rows = await queries.rows<DestinationRow>(findRunnable.with({ nowMs }))
  const destinations = rows.map(toDestination)
  const counts = await countInShards(queries, new Set(destinations.map(({ id }) => id)), nowMs)
  const eventIds = destinations.filter(({ wantsEvents }) => wantsEvents).map(({ id }) => id)
  const events = new Set(
    eventIds.length === 0
      ? []
      : (await queries.rows<{ destination_id: string }>(findWithEvents.with({ ids: eventIds }))).map(
          ({ destination_id: id }) => id,
        ),
  )
  return destinations
    .filter(({ id }) => counts.has(id) || events.has(id))
    .map((destination) => ({ destination, due: Math.min(maxCount, counts.get(destination.id) ?? 0) }))
}

async function countInShards(queries: Queries, ids: Set<string>, nowMs: number): Promise<Map<string, number>> {
  const backlog = backlogs.get(queries) ?? new Set()
  backlogs.set(queries, backlog)
  const counted = [...ids].filter((id) => !backlog.has(id))
  const rows =
    counted.length === 0
      ? []
      : await queries.rows<{ destination_id: string; n: number }>(countDue.with({ ids: counted, nowMs }))
  const counts = new Map(rows.map(({ destination_id: id, n }) => [id, n]))
  for (const id of [...backlog].filter((each) => ids.has(each))) {
    const { length } = await queries.rows(findSomeDue.with({ id, nowMs, limit: MAX_COUNTED + 1 }))
    if (length > 0) counts.set(id, length)
    else backlog.delete(id)
  }
  for (const [id, n] of counts)
    if (n > MAX_COUNTED) backlog.add(id)
    else backlog.delete(id)
  return counts
}
