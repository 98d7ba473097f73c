import type { Account } from '#model/accounts/account.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import type { ChangeFilter } from '#model/item-filter/changes.ts'
import { typeBits } from '#model/items/types.ts'
import { lastOf } from '#platform/formats/list-ends.ts'
import type { Database } from '#platform/postgres/database.ts'
import { wasMergedInto } from '#store/identity/accounts.ts'
import { listReadable, type ReadableProfile } from '#store/identity/readable-profiles.ts'
import { type ChangeKey, changeKeysAfter, type KeptChanges, keptChanges } from '#store/items/change-keys.ts'
import { type Decided, resolveCopies } from '#store/items/changed-copies.ts'
import { findItems } from '#store/items/items-by-id.ts'
import type { Hasher } from '#store/vault.ts'
import { alignPositions, type Position, readCursor, writeCursor } from './change-cursor.ts'
import { removedEntry, writeEntry } from './change-entries.ts'
import { filterByServicesParameter } from './filter-profiles.ts'
import type { ReadDeps } from './find.ts'
import { createPresenter, type Presentation } from './present.ts'

export interface ChangesDeps extends ReadDeps {
  hasher: Pick<Hasher, 'hash'>
}

export interface ChangesRequest extends ChangeFilter {
  /** Undefined: from the beginning. `now`: only what changes from now on. */
  cursor: string | undefined
  limit: number
}

/** A page of changes; each entry is JSON text. */
export interface ChangesPage {
  entries: string[]
  cursor: string
  more: boolean
}

/** Limit: bytes of records in one page of changes; a page ends before the item that would exceed it, but has at least one. */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024
/** Limit: changes of each profile that one step examines where a filter may leave most of them out. */
export const MAX_EXAMINED = 1000
/** How many changes of each profile a step examines at least, because copies may be left out. */
const EXAMINED_ROWS = 50
/** Limit: such steps for one page; a page that has found too few by then is returned as it is, with `more`. */
const MAX_STEPS = 10

/** The changes of an account's items after a cursor, in the order of time; those of one profile in the order of commits. */
export async function readChanges(
  deps: ChangesDeps,
  account: Account,
  request: ChangesRequest,
  options: Presentation,
): Promise<ChangesPage> {
  const all = await listReadable(deps.database, account)
  const readable = filterByServicesParameter(deps.registry, all, request.services)
  const kept = await keptChanges(deps.database, readable)
  const latest = new Map(kept.entries().map(([profileId, changes]) => [profileId, changes.latest]))
  const isNow = request.cursor === 'now'
  const known =
    request.cursor === undefined || isNow ? [] : await knownPositions(deps, account, request, request.cursor)
  refuseForgotten(known, kept)
  const { positions, removed } = alignPositions(readable, latest, known, isNow ? 'now' : 'at the beginning')
  const { entries, more } = await collectChanges(deps, readable, positions, latest, request, options)
  return {
    entries: [...removed.map(removedEntry), ...entries],
    cursor: writeCursor(deps, request, positions, account.id),
    more,
  }
}

/** A reader who may have an item whose deletion is not kept any more cannot go on. */
function refuseForgotten(known: readonly Position[], kept: ReadonlyMap<string, KeptChanges>): void {
  for (const { profileId, seq, start } of known)
    if (Math.max(seq, start) < (kept.get(profileId)?.forgotten ?? 0)) throw new ApiError('cursor_expired')
}

/** The cursor of an account that was merged into this one goes on; that of any other names profiles that are not this person's. */
async function knownPositions(
  deps: ChangesDeps,
  account: Account,
  request: ChangeFilter,
  cursor: string,
): Promise<Position[]> {
  const { positions, accountId = account.id } = readCursor(deps, request, cursor)
  if (accountId === account.id || (await wasMergedInto(deps.database, accountId, account.id))) return positions
  throw invalidInput('bad_parameter', 'cursor', 'belongs to another account; begin again without one.')
}

/** Reads changes of these profiles and advances their positions, which are of the same order. */
async function collectChanges(
  deps: ReadDeps,
  readable: readonly ReadableProfile[],
  positions: Position[],
  latest: ReadonlyMap<string, number>,
  { limit, types }: Pick<ChangesRequest, 'limit' | 'types'>,
  options: Presentation,
): Promise<{ entries: string[]; more: boolean }> {
  const bits = types === undefined ? undefined : typeBits(types)
  const write = writeEntry(deps.registry, createPresenter(deps, readable, options))
  const isBehind = ({ profileId, seq }: Position) => seq < (latest.get(profileId) ?? 0)
  const entries: string[] = []
  let bytesLeft = MAX_PAGE_BYTES
  for (let step = 0; step < MAX_STEPS && entries.length < limit && positions.some(isBehind); step += 1) {
    const behind = readable.flatMap((profile, i) => (isBehind(positions[i]!) ? [{ profile, at: positions[i]! }] : []))
    const maxRows = Math.max(limit - entries.length + 1, bits === undefined ? EXAMINED_ROWS : MAX_EXAMINED)
    const unread = await readUnread(deps.database, behind, maxRows)
    const next = takeUntil(decide(unread, bits), limit - entries.length)
    const resolved = await resolveCopies(deps.database, readable, next, bits)
    const wanted = resolved.flatMap(({ put }, place) => (put === undefined ? [] : [{ ...put, place }]))
    const { items, isCut, bytes } = await findItems(deps.database, wanted, bytesLeft)
    const itemAt = new Map(items.map(({ place, item }) => [place, item]))
    const done = isCut ? resolved.slice(0, (items.at(-1)?.place ?? -1) + 1) : resolved
    for (const [place, change] of done.entries()) {
      const entry = write(change, itemAt.get(place))
      if (entry !== undefined) entries.push(entry)
    }
    advance(unread, done, latest)
    bytesLeft -= bytes
    if (isCut || bytesLeft <= 0) break
  }
  return { entries, more: positions.some(isBehind) }
}

/** A profile with changes that the reader has not read, the next of them, and whether there are more. */
interface Unread {
  profile: ReadableProfile
  at: Position
  keys: ChangeKey[]
  hasMore: boolean
}

async function readUnread(
  database: Database,
  behind: readonly Pick<Unread, 'profile' | 'at'>[],
  maxRows: number,
): Promise<Unread[]> {
  const keys = await changeKeysAfter(
    database,
    behind.map(({ profile: { shard, profileId }, at: { seq, upTo } }) => ({ shard, profileId, seq, upTo })),
    maxRows,
  )
  const byProfile = Map.groupBy(keys, ({ profileId }) => profileId)
  return behind.map(({ profile, at }) => {
    const own = (byProfile.get(profile.profileId) ?? []).sort((a, b) => a.seq - b.seq)
    const lists = [own.filter(({ types }) => types !== null), own.filter(({ types }) => types === null)]
    // Beyond the end of a list that reached its limit, some changes are missing.
    const ends = lists.filter(({ length }) => length === maxRows).map((list) => lastOf(list).seq)
    const end = Math.min(...ends)
    return { profile, at, keys: own.filter(({ seq }) => seq <= end), hasMore: ends.length > 0 }
  })
}

/** All of these changes in the order of time, and what the reader gets of each. */
function decide(unread: readonly Unread[], bits: number | undefined): Decided[] {
  return unread
    .flatMap(({ profile, at, keys }) => {
      // Clocks differ: the greatest time so far keeps the changes of a profile in the order of their seqs.
      let time = Number.NEGATIVE_INFINITY
      return keys.map((key) => {
        time = Math.max(time, key.at)
        return { profile, key, time, change: changeFor(key, at, bits) }
      })
    })
    .sort((a, b) => a.time - b.time)
}

/** Before the reader began with a profile it had nothing of it, so nothing has to be deleted. */
export function changeFor(
  { types, seq }: ChangeKey,
  { start }: Pick<Position, 'start'>,
  bits: number | undefined,
): Decided['change'] {
  const isWanted = types !== null && (bits === undefined || (types & bits) !== 0)
  if (isWanted) return 'upsert'
  return seq > start ? 'delete' : 'none'
}

/** The changes up to the one that completes the page. */
function takeUntil(decided: Decided[], entries: number): Decided[] {
  let left = entries
  const end = decided.findIndex(({ change }) => change !== 'none' && (left -= 1) === 0)
  return end < 0 ? decided : decided.slice(0, end + 1)
}

function advance(unread: readonly Unread[], done: readonly Decided[], latest: ReadonlyMap<string, number>): void {
  const doneOf = Map.groupBy(done, ({ profile }) => profile)
  for (const { profile, at, keys, hasMore } of unread) {
    const own = doneOf.get(profile) ?? []
    at.seq = own.at(-1)?.key.seq ?? at.seq
    // Some numbers belong to no change: an item that changed again has a new one.
    if (own.length === keys.length && !hasMore) at.seq = Math.max(at.seq, latest.get(profile.profileId) ?? 0)
  }
}
