import { FEED_KIND } from '#model/apps/destination.ts'
import { shardIn } from '#platform/crypto/ids.ts'
import { type Database, execute, type Queries, statement } from '#platform/postgres/database.ts'
import { shardsOfApp } from '../sync/shards-of-app.ts'
import { newCursorColumns } from './cursors.ts'

/** An entry of a feed: what changed, without its content. */
export type FeedEntry =
  /** Changes of a profile with a seq greater than `afterSeq`, up to `upToSeq`; `profile`: and its record. */
  | { kind: 'changes' | 'profile'; profileId: string; afterSeq: number; upToSeq: number }
  | { kind: 'removed'; profileId: string }
  | { kind: 'event'; data: Record<string, unknown> }

/** An entry with its position; positions have no gaps. */
export type PlacedEntry = FeedEntry & { pos: number; at: number }

/** A position in a feed, and when its entry was appended: after a restore, another entry may have the position. */
export interface FeedPosition {
  pos: number
  at: number
}

export interface FeedState {
  head: FeedPosition
  /** Entries up to this one were removed. */
  tail: FeedPosition
}

const findOfApp = statement('feed-of-app', 'select id from destination where app_id = $appId and kind = $kind')
const insert = statement(
  'feed-insert',
  `insert into feed (destination_id, head, head_at, tail, tail_at, read_at)
   values ($feedId, 0, 0, 0, 0, $nowMs) on conflict (destination_id) do nothing`,
)
const findState = statement(
  'feed-state',
  'select head, head_at, tail, tail_at from feed where destination_id = $feedId',
)
const markRead = statement(
  'feed-read',
  'update feed set read_at = $nowMs where destination_id = $feedId and read_at < $beforeMs',
)
const move = statement(
  'feed-move',
  'update feed set head = head + $count, head_at = $at where destination_id = $feedId returning head',
)
const append = statement(
  'feed-append',
  `insert into feed_entry (destination_id, pos, at, kind, profile_id, after_seq, up_to_seq, data)
   select $feedId, e.pos, e.at, e.kind, e.profile_id, e.after_seq, e.up_to_seq, e.data::json
   from unnest($positions::bigint[], $ats::bigint[], $kinds::text[], $profileIds::text[], $afterSeqs::bigint[],
     $upToSeqs::bigint[], $events::text[]) as e (pos, at, kind, profile_id, after_seq, up_to_seq, data)`,
)
const list = statement(
  'feed-entries',
  `select pos, at, kind, profile_id, after_seq, up_to_seq, data from feed_entry
   where destination_id = $feedId and pos >= $from order by pos limit $limit`,
)
const lockProfiles = statement(
  'feed-lock-profiles',
  'select profile_id, seq from profile_sync where shard = $shard and app_id = $appId order by profile_id for share',
)
const openCursors = statement(
  'feed-open-cursors',
  `insert into delivery_cursor (${newCursorColumns})
   select $shard, p.id, $feedId, p.seq, null, false, null, p.seq, p.seq, 0, 1, 1, 0, false, false, false, 0, 0
   from unnest($profileIds::text[], $seqs::bigint[]) as p (id, seq) on conflict do nothing`,
)
const listProfiles = statement(
  'feed-profiles',
  `select profile_id from delivery_cursor
   where destination_id = $feedId and (shard, profile_id) > ($shard, $profileId) and not erase
   order by shard, profile_id limit $limit`,
)
const listFeeds = statement('feed-list', 'select destination_id, read_at, tail from feed')
const moveTail = statement(
  'feed-move-tail',
  `update feed f set tail = old.pos, tail_at = old.at
   from (select pos, at from feed_entry where destination_id = $feedId and at < $beforeMs
     order by pos desc limit 1) old
   where f.destination_id = $feedId and old.pos > f.tail returning f.tail`,
)
const purge = statement('feed-purge', 'delete from feed_entry where destination_id = $feedId and pos <= $tail')
const remove = statement('feed-remove', 'delete from destination where id = $feedId and kind = $kind')

export async function findFeed(queries: Queries, appId: string): Promise<string | undefined> {
  return (await queries.rows<{ id: string }>(findOfApp.with({ appId, kind: FEED_KIND })))[0]?.id
}

export async function insertFeed(tx: Queries, feedId: string, nowMs: number): Promise<void> {
  await tx.count(insert.with({ feedId, nowMs }))
}

/**
 * Opens a cursor at the newest change of every profile of the app. Writers lock the schedule of a profile until they commit: with
 * the lock here, a change is either before the cursor or makes it due.
 */
export async function openFeedCursors(database: Database, appId: string, feedId: string): Promise<void> {
  for (const shard of await shardsOfApp(database, appId))
    await database.transaction(async (tx) => {
      const rows = await tx.rows<{ profile_id: string; seq: number }>(lockProfiles.with({ shard, appId }))
      const profileIds = rows.map(({ profile_id }) => profile_id)
      await tx.count(openCursors.with({ shard, feedId, profileIds, seqs: rows.map(({ seq }) => seq) }))
    })
}

export async function feedState(queries: Queries, feedId: string): Promise<FeedState | undefined> {
  const [row] = await queries.rows<{ head: number; head_at: number; tail: number; tail_at: number }>(
    findState.with({ feedId }),
  )
  return row && { head: { pos: row.head, at: row.head_at }, tail: { pos: row.tail, at: row.tail_at } }
}

/** At most once between two `beforeMs`, so that reading writes rarely. */
export async function markFeedRead(queries: Queries, feedId: string, nowMs: number, beforeMs: number): Promise<void> {
  await queries.count(markRead.with({ feedId, nowMs, beforeMs }))
}

/**
 * Appends entries at following positions, under one lock of the feed: everybody who writes it waits for that lock. Nothing happens
 * when the feed was removed meanwhile.
 */
export async function appendToFeed(
  database: Database,
  feedId: string,
  entries: readonly (FeedEntry & { at: number })[],
): Promise<void> {
  const last = entries.at(-1)
  if (last === undefined) return
  const ranges = entries.map((entry) => (entry.kind === 'changes' || entry.kind === 'profile' ? entry : undefined))
  await database.transaction(async (tx) => {
    const [row] = await tx.rows<{ head: number }>(move.with({ feedId, count: entries.length, at: last.at }))
    if (row === undefined) return
    const first = row.head - entries.length + 1
    const columns = append.with({
      feedId,
      positions: entries.map((_, i) => first + i),
      ats: entries.map(({ at }) => at),
      kinds: entries.map(({ kind }) => kind),
      profileIds: entries.map((entry) => (entry.kind === 'event' ? null : entry.profileId)),
      afterSeqs: ranges.map((range) => range?.afterSeq ?? null),
      upToSeqs: ranges.map((range) => range?.upToSeq ?? null),
      events: entries.map((entry) => (entry.kind === 'event' ? JSON.stringify(entry.data) : null)),
    })
    await execute(tx, columns)
  })
}

interface EntryRow {
  pos: number
  at: number
  kind: FeedEntry['kind']
  profile_id: string | null
  after_seq: number | null
  up_to_seq: number | null
  data: Record<string, unknown> | null
}

/** Entries from a position on. */
export async function feedEntries(
  queries: Queries,
  feedId: string,
  from: number,
  limit: number,
): Promise<PlacedEntry[]> {
  const rows = await queries.rows<EntryRow>(list.with({ feedId, from, limit }))
  return rows.map((row): PlacedEntry => {
    const placed = { pos: row.pos, at: row.at }
    const profileId = row.profile_id ?? ''
    if (row.kind === 'event') return { ...placed, kind: row.kind, data: row.data ?? {} }
    if (row.kind === 'removed') return { ...placed, kind: row.kind, profileId }
    return { ...placed, kind: row.kind, profileId, afterSeq: row.after_seq ?? 0, upToSeq: row.up_to_seq ?? 0 }
  })
}

/** Profiles of the feed after one, in the order of their ids, which begin with the shard. */
export async function feedProfiles(
  queries: Queries,
  feedId: string,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const from = after === undefined ? { shard: -1, profileId: '' } : { shard: shardIn(after), profileId: after }
  const rows = await queries.rows<{ profile_id: string }>(listProfiles.with({ feedId, ...from, limit }))
  return rows.map(({ profile_id: profileId }) => profileId)
}

/** Its cursors are removed by maintenance, or by the caller. */
export async function removeFeed(queries: Queries, feedId: string): Promise<boolean> {
  return (await queries.count(remove.with({ feedId, kind: FEED_KIND }))) > 0
}

/** Removes old entries, and feeds that nobody has read for long. Returns how many entries and feeds. */
export async function purgeFeeds(
  queries: Queries,
  { entriesBeforeMs, readBeforeMs }: { entriesBeforeMs: number; readBeforeMs: number },
): Promise<number> {
  let purged = 0
  for (const feed of await queries.rows<{ destination_id: string; read_at: number; tail: number }>(listFeeds)) {
    const { destination_id: feedId, read_at: readAt } = feed
    if (readAt < readBeforeMs) {
      if (await removeFeed(queries, feedId)) purged += 1
      continue
    }
    // The tail first: a reader that finds no entries then learns that they were removed.
    const [row] = await queries.rows<{ tail: number }>(moveTail.with({ feedId, beforeMs: entriesBeforeMs }))
    // Also where it did not move: a process may have been killed after it moved.
    purged += await queries.count(purge.with({ feedId, tail: row?.tail ?? feed.tail }))
  }
  return purged
}
