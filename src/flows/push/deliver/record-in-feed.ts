import { createHash } from 'node:crypto'
import type { Connection } from '#destinations/contract.ts'
import { findProfileRecords, type ProfileRecord } from '#store/identity/profile-records.ts'
import { appendToFeed, type FeedEntry } from '#store/push/feed.ts'
import { type Cursor, finishCursors, removeCursor, yieldCursor } from '#store/push/leases.ts'
import { deliveryProfile } from '../delivery-rows.ts'
import type { DeliverDeps } from '../deps.ts'

/**
 * Appends what changed in these profiles to their feed, together, and then advances the cursors: a crash in between repeats the entries.
 * Entries name changes and have no content, so those of a run that was frozen do no harm either. False when nothing was appended.
 */
export async function recordInFeed(
  deps: Pick<DeliverDeps, 'database' | 'clock'>,
  feedId: string,
  cursors: readonly Cursor[],
): Promise<boolean> {
  try {
    return await recordAll(deps, feedId, cursors)
  } catch (error) {
    // The run that failed settles the first one; the lease of one that cannot be released expires.
    for (const other of cursors.slice(1)) await yieldCursor(deps.database, other, deps.clock.now()).catch(() => {})
    throw error
  }
}

async function recordAll(
  { database, clock }: Pick<DeliverDeps, 'database' | 'clock'>,
  feedId: string,
  cursors: readonly Cursor[],
): Promise<boolean> {
  const kept = cursors.filter(({ erase }) => !erase)
  const erased = cursors.filter(({ erase }) => erase)
  const records = await findProfileRecords(database, kept)
  const at = clock.now()
  const news = kept.map((cursor) => ({ cursor, ...newsOf(cursor, records.get(cursor.profileId)) }))
  const entries: FeedEntry[] = [
    ...erased.map(({ profileId }): FeedEntry => ({ kind: 'removed', profileId })),
    ...news.flatMap(({ entry }) => entry ?? []),
  ]
  const placed = entries.map((entry) => ({ ...entry, at }))
  await appendToFeed(database, feedId, placed)
  for (const cursor of erased) await database.transaction((tx) => removeCursor(tx, cursor))
  const nowMs = clock.now()
  await finishCursors(
    database,
    news.map(({ cursor, latest, digest }) => ({
      cursor,
      delivered: { seq: latest, written: latest, ackedProfileDigest: digest, rows: 0, nowMs },
    })),
  )
  return entries.length > 0
}

/** `found` is undefined when the profile was just disconnected: its erasure follows. */
function newsOf(cursor: Cursor, found: ProfileRecord | undefined) {
  const { profileId, written, ackedProfileDigest } = cursor
  if (found === undefined) return { entry: undefined, latest: written, digest: ackedProfileDigest }
  const latest = Math.max(written, found.seq)
  const digest = digestOf([deliveryProfile(found.profile), found.duplicate])
  const kind = digest === ackedProfileDigest ? 'changes' : 'profile'
  const hasNews = kind === 'profile' || latest > written
  // Where the feed is, also after a merge that sends everything to other destinations again.
  const entry: FeedEntry | undefined = hasNews ? { kind, profileId, afterSeq: written, upToSeq: latest } : undefined
  return { entry, latest, digest }
}

function digestOf(record: unknown): string {
  return createHash('sha256').update(JSON.stringify(record)).digest('base64url').slice(0, 16)
}

/** The feed as far as events need it: changes are recorded by `recordInFeed`. */
export function openFeed({ database }: Pick<DeliverDeps, 'database'>, feedId: string): Connection {
  const unused = () => Promise.reject(new Error('a feed is not written like other destinations'))
  return {
    prepare: async () => {},
    test: unused,
    write: unused,
    erase: unused,
    drop: unused,
    notify: ({ id, type, at, data }) =>
      appendToFeed(database, feedId, [{ kind: 'event', at, data: { id, type, at, data } }]),
    close: async () => {},
  }
}
