import type { Profile } from '#model/accounts/profile.ts'
import { profileName } from '#model/accounts/profile-name.ts'
import { ApiError } from '#model/errors.ts'
import { shardIn } from '#platform/crypto/ids.ts'
import { findDuplicate, findProfile } from '#store/identity/profiles.ts'
import { type ReadableProfile, readableAlone } from '#store/identity/readable-profiles.ts'
import { latestChange } from '#store/items/changes.ts'
import { feedEntries, feedProfiles, feedState, type PlacedEntry } from '#store/push/feed.ts'
import { type ChangesDeps, type ChangesPage, type ChangesRequest, collectChanges } from '../changes.ts'
import { filterByName, filterByServicesParameter } from '../filter-profiles.ts'
import type { Presentation } from '../present.ts'
import { type FeedCursor, readFeedCursor, writeFeedCursor } from './feed-cursor.ts'

/** Limit: entries of a feed, or profiles of an app, that one page examines; a page that found too few by then has `more`. */
const MAX_EXAMINED_ENTRIES = 200
/** Limit: characters of one page of a feed, after which it takes no further profile. */
const MAX_FEED_PAGE_CHARS = 4 * 1024 * 1024
/** Profiles that a walk looks up at once. */
const WALK_BATCH = 50

/** A page under construction. */
interface Draft {
  entries: string[]
  chars: number
  cursor: FeedCursor
}

/**
 * A page of an app's feed. Without a cursor the reader first gets everything that is stored, profile by profile, and then the
 * entries that were appended since it began: what changes during the walk is in one of them, or in both.
 */
export async function readFeed(
  deps: ChangesDeps,
  feedId: string,
  request: ChangesRequest,
  options: Presentation,
): Promise<ChangesPage> {
  // Refuses unknown names.
  filterByServicesParameter(deps.registry, [], request.services)
  const cursor = await startOf(deps, feedId, request)
  const draft: Draft = { entries: [], chars: 0, cursor }
  const reader = { deps, request, options }
  const hasWalked = cursor.walk === undefined || (await walkProfiles(reader, draft))
  const more = hasWalked ? await followEntries(reader, draft) : true
  return { entries: draft.entries, cursor: writeFeedCursor(deps.hasher, request, draft.cursor), more }
}

/** Whether anything was appended after a cursor, or the feed has ended. */
export async function hasFeedNews(
  deps: Pick<ChangesDeps, 'database' | 'hasher'>,
  request: Pick<ChangesRequest, 'types' | 'services'>,
  cursor: string,
): Promise<boolean> {
  const { feedId, position } = readFeedCursor(deps.hasher, request, cursor)
  const state = await feedState(deps.database, feedId)
  return state === undefined || state.head.pos !== position.pos
}

async function startOf(
  { database, hasher }: ChangesDeps,
  feedId: string,
  request: ChangesRequest,
): Promise<FeedCursor> {
  if (request.cursor !== undefined && request.cursor !== 'now') {
    const cursor = readFeedCursor(hasher, request, request.cursor)
    if (cursor.feedId !== feedId)
      throw new ApiError('cursor_expired', 'The feed of this cursor was removed. Begin again without a cursor.')
    return cursor
  }
  const state = await feedState(database, feedId)
  if (state === undefined) throw new ApiError('cursor_expired')
  const walk = request.cursor === 'now' ? undefined : { profileId: undefined, seq: null }
  return { feedId, position: state.head, seq: null, walk }
}

interface Reader {
  deps: ChangesDeps
  request: ChangesRequest
  options: Presentation
}

const isFull = ({ limit }: ChangesRequest, { entries, chars }: Draft) =>
  entries.length >= limit || chars >= MAX_FEED_PAGE_CHARS

function add(draft: Draft, entries: readonly string[]): void {
  for (const entry of entries) {
    draft.entries.push(entry)
    draft.chars += entry.length
  }
}

/** Adds what is stored of the next profiles. False when the page is full before the last one. */
async function walkProfiles({ deps, request, options }: Reader, draft: Draft): Promise<boolean> {
  const { feedId } = draft.cursor
  const queue: string[] = []
  let examined = 0
  while (draft.cursor.walk !== undefined) {
    if (isFull(request, draft) || examined >= MAX_EXAMINED_ENTRIES) return false
    const { profileId, seq } = draft.cursor.walk
    examined += 1
    if (profileId === undefined || seq === null) {
      if (queue.length === 0) queue.push(...(await feedProfiles(deps.database, feedId, profileId, WALK_BATCH)))
      const next = queue.shift()
      const found = next === undefined ? undefined : await findShown(deps, request, next)
      if (found !== undefined) add(draft, [found.entry])
      const walk = next === undefined ? undefined : { profileId: next, seq: found === undefined ? null : 0 }
      draft.cursor = { ...draft.cursor, walk }
      continue
    }
    const found = await findShown(deps, request, profileId)
    if (found === undefined) {
      draft.cursor = { ...draft.cursor, walk: { profileId, seq: null } }
      continue
    }
    const latest = (await latestChange(deps.database, found.readable)) ?? 0
    // Nothing has to be deleted: the reader has nothing of the profile, or gets an entry about what changed meanwhile.
    const range = { after: seq, upTo: latest, start: Number.MAX_SAFE_INTEGER }
    const read = await addChanges({ deps, request, options }, draft, found, range)
    draft.cursor = { ...draft.cursor, walk: { profileId, seq: read.done ? null : read.seq } }
  }
  return true
}

/** Adds what the next entries name. Returns whether there are more. */
async function followEntries({ deps, request, options }: Reader, draft: Draft): Promise<boolean> {
  const { feedId, position } = draft.cursor
  // Together with the one that the reader has, which shows that the feed is still the same.
  const found = await feedEntries(deps.database, feedId, position.pos, MAX_EXAMINED_ENTRIES + 1)
  // After the entries: what was removed before they were read is noticed.
  const state = await feedState(deps.database, feedId)
  const isKept = state !== undefined && position.pos >= state.tail.pos && position.pos <= state.head.pos
  const last = found[0]?.pos === position.pos ? found.shift() : undefined
  const at = last?.at ?? (position.pos === state?.tail.pos ? state.tail.at : undefined)
  if (!isKept || at !== position.at) throw new ApiError('cursor_expired')
  for (const entry of found) {
    if (isFull(request, draft)) return true
    const isDone = await addEntry({ deps, request, options }, draft, entry)
    if (!isDone) return true
    draft.cursor = { ...draft.cursor, position: { pos: entry.pos, at: entry.at }, seq: null }
  }
  return state.head.pos > draft.cursor.position.pos
}

/**
 * Adds what changed between the seqs of an entry, and has not changed since: a newer version is in the range of a later entry, so each
 * comes once. False when the page is full before the end of the entry.
 */
async function addEntry(reader: Reader, draft: Draft, entry: PlacedEntry): Promise<boolean> {
  if (entry.kind === 'event') {
    add(draft, [JSON.stringify({ change: 'event', event: entry.data })])
    return true
  }
  if (entry.kind === 'removed') {
    add(draft, [JSON.stringify({ change: 'profile_removed', profile: entry.profileId })])
    return true
  }
  const { profileId, afterSeq, upToSeq } = entry
  const found = await findShown(reader.deps, reader.request, profileId)
  // Removed meanwhile, as a later entry says, or of another service.
  if (found === undefined) return true
  if (entry.kind === 'profile' && draft.cursor.seq === null) add(draft, [found.entry])
  const after = Math.max(afterSeq, draft.cursor.seq ?? 0)
  if (after >= upToSeq) return true
  if (isFull(reader.request, draft)) {
    draft.cursor = { ...draft.cursor, seq: after }
    return false
  }
  const read = await addChanges(reader, draft, found, { after, upTo: upToSeq, start: 0 })
  if (!read.done) draft.cursor = { ...draft.cursor, seq: read.seq }
  return read.done
}

interface Shown {
  readable: ReadableProfile
  /** JSON text of the fields that say whose an item is. */
  owner: string
  /** The profile itself, as an entry. */
  entry: string
}

/** Undefined when the profile is gone, or the reader does not follow its service. */
async function findShown(
  { database, registry }: ChangesDeps,
  { services }: ChangesRequest,
  profileId: string,
): Promise<Shown | undefined> {
  const profile = await findProfile(database, shardIn(profileId), profileId)
  if (profile === undefined) return undefined
  // The reader gets the items of every profile, and the entry of the profile says into which one it was merged.
  const readable = readableAlone(profile, undefined)
  if (services !== undefined && filterByName(registry, [readable], services).length === 0) return undefined
  const duplicate = await findDuplicate(database, profile)
  const owner = JSON.stringify({ account: profile.accountId, profile: profileId }).slice(1, -1)
  return { readable, owner: `${owner},`, entry: profileEntry(profile, duplicate?.profileId) }
}

function profileEntry(profile: Profile, mergedInto: string | undefined): string {
  return JSON.stringify({
    change: 'profile',
    profile: {
      id: profile.id,
      account: profile.accountId,
      profile: profileName(profile),
      service: profile.service,
      native_id: profile.nativeId,
      name: profile.person.name,
      handle: profile.person.handle,
      // A rate limit passes, and is not recorded.
      state: profile.state === 'limited' ? 'active' : profile.state,
      connected_at: profile.connectedAt,
      merged_into: mergedInto,
    },
  })
}

/** Adds changes of one profile, at least one if there are any. */
async function addChanges(
  { deps, request, options }: Reader,
  draft: Draft,
  { readable, owner }: Shown,
  { after, upTo, start }: { after: number; upTo: number; start: number },
): Promise<{ done: boolean; seq: number }> {
  const position = { profileId: readable.profileId, name: '', seq: after, start, upTo }
  const limit = Math.max(1, request.limit - draft.entries.length)
  const latest = new Map([[readable.profileId, upTo]])
  const { entries, more } = await collectChanges(
    deps,
    [readable],
    [position],
    latest,
    { limit, types: request.types },
    options,
    owner,
  )
  add(draft, entries)
  return { done: !more, seq: position.seq }
}
