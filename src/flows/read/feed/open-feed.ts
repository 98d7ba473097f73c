import { FEED_KIND } from '#model/apps/destination.ts'
import { ApiError } from '#model/errors.ts'
import type { Clock } from '#platform/clock.ts'
import { newId } from '#platform/crypto/ids.ts'
import type { Keyring } from '#platform/crypto/sealing.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { auditApp } from '#store/audit.ts'
import { removeCursors } from '#store/push/destination-cursors.ts'
import { insertDestination, lockOwner } from '#store/push/destinations.ts'
import { findFeed, insertFeed, markFeedRead, openFeedCursors, removeFeed } from '#store/push/feed.ts'

export interface FeedDeps {
  database: Database
  keyring: Keyring
  clock: Clock
  log: Log
}

/** How exactly the time of the last read is stored. */
const READ_PRECISION_MS = 3_600_000

/** The feed of an app. The first reader creates it: from then on changes are recorded. */
export async function openFeed(deps: FeedDeps, appId: string): Promise<string> {
  const { database, clock } = deps
  const known = await findFeed(database, appId)
  if (known === undefined) return createFeed(deps, appId)
  await markFeedRead(database, known, clock.now(), clock.now() - READ_PRECISION_MS)
  return known
}

async function createFeed({ database, keyring, clock, log }: FeedDeps, appId: string): Promise<string> {
  const now = clock.now()
  const id = `dst_${newId(now)}`
  const existing = await database.transaction(async (tx) => {
    if (!(await lockOwner(tx, appId))) throw new ApiError('not_found', `There is no app ${appId}.`)
    // Of two first readers, one creates it.
    const other = await findFeed(tx, appId)
    if (other !== undefined) return other
    const feed = {
      id,
      appId,
      name: FEED_KIND,
      kind: FEED_KIND,
      filter: ['*'],
      schedule: 'on_change',
      options: { events: true },
      wantsEvents: true,
      state: 'active',
      lastError: undefined,
      fails: 0,
      failingSince: undefined,
      nextAttemptAt: 0,
      alerted: false,
      nextRunAt: undefined,
      deaths: 0,
      aloneUntil: 0,
      createdAt: now,
      updatedAt: now,
    } as const
    await insertDestination(tx, keyring, { ...feed, filter: [...feed.filter] }, { url: `${FEED_KIND}:` })
    await insertFeed(tx, id, now)
    await auditApp(tx, appId, { at: now, actor: `app:${appId}`, action: 'feed.create', detail: {} })
    return undefined
  })
  if (existing !== undefined) return existing
  // After the transaction, as for every destination. A profile without a cursor gets one from maintenance, at its beginning.
  await openFeedCursors(database, appId, id).catch((error: unknown) =>
    log.warn('the cursors of a new feed are opened later', { feed: id, error }),
  )
  return id
}

/** Stops recording. Every cursor of the feed has ended then. False when there is none. */
export async function closeFeed(
  { database, clock }: Pick<FeedDeps, 'database' | 'clock'>,
  appId: string,
): Promise<boolean> {
  const feedId = await findFeed(database, appId)
  if (feedId === undefined || !(await removeFeed(database, feedId))) return false
  await auditApp(database, appId, { at: clock.now(), actor: `app:${appId}`, action: 'feed.delete', detail: {} })
  await removeCursors(database, feedId)
  return true
}
