import { createHash } from 'node:crypto'
import type { Connection } from '#destinations/contract.ts'
import { findDuplicate, findProfile } from '#store/identity/profiles.ts'
import { latestChange } from '#store/items/changes.ts'
import { appendToFeed } from '#store/push/feed.ts'
import { type Cursor, finishCursor, removeCursor } from '#store/push/leases.ts'
import { deliveryProfile } from '../delivery-rows.ts'
import type { DeliverDeps } from '../deps.ts'

/**
 * Appends what changed in a profile to the feed, and then advances the cursor: a crash in between repeats the entry. Entries name
 * changes and have no content, so one of a run that was frozen does no harm either.
 */
export async function recordInFeed({ database, clock }: DeliverDeps, cursor: Cursor): Promise<boolean> {
  const { shard, profileId, destinationId: feedId } = cursor
  if (cursor.erase) {
    await appendToFeed(database, feedId, clock.now(), { kind: 'removed', profileId })
    await database.transaction((tx) => removeCursor(tx, cursor))
    return true
  }
  const profile = await findProfile(database, shard, profileId)
  const latest = Math.max(cursor.written, (await latestChange(database, cursor)) ?? 0)
  // Undefined when the profile was just disconnected: its erasure follows.
  const digest =
    profile === undefined
      ? cursor.ackedProfileDigest
      : digestOf([deliveryProfile(profile), await findDuplicate(database, profile)])
  const isNewRecord = digest !== cursor.ackedProfileDigest
  const hasNews = profile !== undefined && (isNewRecord || latest > cursor.written)
  if (hasNews)
    await appendToFeed(database, feedId, clock.now(), {
      kind: isNewRecord ? 'profile' : 'changes',
      profileId,
      // Where the feed is, also after a merge that sends everything to other destinations again.
      afterSeq: cursor.written,
      upToSeq: latest,
    })
  const progress = { seq: latest, written: latest, ackedProfileDigest: digest, rows: 0, nowMs: clock.now() }
  await finishCursor(database, cursor, progress)
  return hasNews
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
      appendToFeed(database, feedId, at, { kind: 'event', data: { id, type, at, data } }),
    close: async () => {},
  }
}
