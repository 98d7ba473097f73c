import { ApiError } from '#model/errors.ts'
import { feedEntries, feedProfiles, feedState, type PlacedEntry } from '#store/push/feed.ts'
import { removedEntry } from '../change-entries.ts'
import type { ChangesDeps, ChangesPage, ChangesRequest } from '../changes.ts'
import { filterByServicesParameter } from '../filter-profiles.ts'
import type { Presentation } from '../present.ts'
import { type FeedCursor, readFeedCursor, writeFeedCursor } from './feed-cursor.ts'
import { addParts, costOf, type Part, type Reader } from './feed-parts.ts'
import { findShown } from './feed-profiles.ts'

/** Limit: entries of a feed that one page examines; a page that found too few by then has `more`. */
const MAX_EXAMINED_ENTRIES = 200
/** Limit: changes that one page of a feed examines where a filter may leave most of them out; then it has `more`. */
const MAX_EXAMINED_CHANGES = 2000
/** Profiles that a page of a walk looks up. */
const WALK_BATCH = 50

/** A page under construction. */
interface Page {
  entries: string[]
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
  const page: Page = { entries: [], cursor }
  const reader = { deps, request, options }
  const hasWalked = cursor.walk === undefined || (await walkProfiles(reader, page))
  const more = hasWalked ? await followEntries(reader, page) : true
  return { entries: page.entries, cursor: writeFeedCursor(deps.hasher, request, page.cursor), more }
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

/** How many changes the parts of a page may have together: more than it shows, because some changed again since. */
const maxChangesOf = ({ limit, types, services }: ChangesRequest) =>
  types === undefined && services === undefined ? 2 * limit + WALK_BATCH : MAX_EXAMINED_CHANGES

/** The first of them that have so many changes together, but at least one. */
function within<Each>(list: readonly Each[], max: number, cost: (each: Each) => number): Each[] {
  let left = max
  const end = list.findIndex((each) => {
    const isBeyond = left <= 0
    left -= cost(each)
    return isBeyond
  })
  return end < 0 ? [...list] : list.slice(0, end)
}

/** Adds what is stored of the next profiles. False when there are more of them, or the page is full. */
async function walkProfiles(reader: Reader, page: Page): Promise<boolean> {
  const { deps, request } = reader
  const { feedId, walk } = page.cursor
  if (walk === undefined) return true
  const isBegun = walk.profileId !== undefined && walk.seq !== null
  const ids = isBegun ? [walk.profileId!] : await feedProfiles(deps.database, feedId, walk.profileId, WALK_BATCH)
  const shown = await findShown(deps, request, ids)
  const at = (profileId: string, seq: number | null): FeedCursor => ({ ...page.cursor, walk: { profileId, seq } })
  const parts = ids.map((profileId): Part => {
    const profile = shown.get(profileId)
    const end = at(profileId, null)
    if (profile === undefined) return { end }
    // Nothing has to be deleted: the reader has nothing of the profile, or gets an entry about what changed meanwhile.
    const range = { after: isBegun ? walk.seq! : 0, upTo: profile.latest, start: Number.MAX_SAFE_INTEGER }
    const changes = { profile, range, at: (seq: number) => at(profileId, seq) }
    return isBegun ? { changes, end } : { first: { text: profile.entry, cursor: at(profileId, 0) }, changes, end }
  })
  const examined = within(parts, maxChangesOf(request), (part) => costOf(part, request))
  const isComplete = await addParts(reader, page, examined)
  const isLast = !isBegun && ids.length < WALK_BATCH && parts.length === examined.length
  if (!isComplete || !isLast) return false
  page.cursor = { ...page.cursor, walk: undefined }
  return true
}

function isRange(entry: PlacedEntry): entry is PlacedEntry & { kind: 'changes' | 'profile' } {
  return entry.kind === 'changes' || entry.kind === 'profile'
}

const spanOf = (entry: PlacedEntry): number => (isRange(entry) ? entry.upToSeq - entry.afterSeq : 0)

/** Adds what the next entries name. Returns whether there are more. */
async function followEntries(reader: Reader, page: Page): Promise<boolean> {
  const { deps, request } = reader
  const { feedId, position, seq } = page.cursor
  // Together with the one that the reader has, which shows that the feed is still the same.
  const found = await feedEntries(deps.database, feedId, position.pos, MAX_EXAMINED_ENTRIES + 1)
  // After the entries: what was removed before they were read is noticed.
  const state = await feedState(deps.database, feedId)
  const isKept = state !== undefined && position.pos >= state.tail.pos && position.pos <= state.head.pos
  const last = found[0]?.pos === position.pos ? found.shift() : undefined
  const at = last?.at ?? (position.pos === state?.tail.pos ? state.tail.at : undefined)
  if (!isKept || at !== position.at) throw new ApiError('cursor_expired')
  const entries = within(found, maxChangesOf(request), (entry) => 1 + Math.min(spanOf(entry), request.limit))
  const named = entries.flatMap((entry) => (isRange(entry) ? [entry.profileId] : []))
  const shown = await findShown(deps, request, named)
  let before = page.cursor
  const parts = entries.map((entry, i): Part => {
    const from = before
    const end = { ...from, position: { pos: entry.pos, at: entry.at }, seq: null }
    before = end
    if (entry.kind === 'event') return { first: { text: JSON.stringify({ change: 'event', event: entry.data }) }, end }
    if (entry.kind === 'removed') return { first: { text: removedEntry(entry.profileId) }, end }
    const profile = shown.get(entry.profileId)
    // Removed meanwhile, as a later entry says, or of another service.
    if (profile === undefined) return { end }
    const read = i === 0 ? seq : null
    const after = Math.max(entry.afterSeq, read ?? 0)
    const first = { text: profile.entry, cursor: { ...from, seq: after } }
    return {
      ...(entry.kind === 'profile' && read === null ? { first } : {}),
      // What changed again is in the range of a later entry: each change comes once.
      changes: { profile, range: { after, upTo: entry.upToSeq, start: 0 }, at: (each) => ({ ...from, seq: each }) },
      end,
    }
  })
  await addParts(reader, page, parts)
  return state.head.pos > page.cursor.position.pos
}
