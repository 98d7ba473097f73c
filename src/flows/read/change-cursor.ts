import { timingSafeEqual } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { ProfileRef } from '#model/accounts/account.ts'
import { profileName } from '#model/accounts/profile-name.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import { type ChangeFilter, MAX_CURSOR } from '#model/item-filter/changes.ts'
import type { Hasher } from '#store/vault.ts'

/** How far a reader is with the changes of one profile. */
export interface Position {
  profileId: string
  /** `id@service`, to name the profile when it is removed. */
  name: string
  /** All changes up to this one are read. */
  seq: number
  /** The newest change when the reader began with this profile: it has nothing from before that may need deleting. */
  start: number
  /** Changes after this one are not wanted. */
  upTo?: number
}

/** The purpose of the keyed hash. It changes with the format, so that a cursor of another format is refused. */
const PURPOSE = 'changes_cursor_1'
const MAC_BYTES = 16

/** A release before wrote no account, and ignores it. */
type Cursor = [
  filter: string,
  positions: [profileId: string, name: string, seq: number, start: number][],
  accountId?: string,
]

/** Signed, so that a damaged cursor is refused. It grants nothing, and is accepted from its own account only. */
export function writeCursor(
  { hasher }: { hasher: Pick<Hasher, 'hash'> },
  filter: ChangeFilter,
  positions: readonly Position[],
  accountId: string,
): string {
  const cursor: Cursor = [
    filterText(filter),
    positions.map(({ profileId, name, seq, start }) => [profileId, name, seq, Math.max(0, start - seq)]),
    accountId,
  ]
  const content = deflateRawSync(JSON.stringify(cursor)).toString('base64url')
  const text = `${content}.${macOf(hasher, content).toString('base64url')}`
  if (text.length <= MAX_CURSOR) return text
  throw new ApiError(
    'bad_parameter',
    'services: the account has more profiles than one cursor can hold; name fewer services or profiles.',
  )
}

/** The positions in the order of precedence that the profiles had, and whose they are; undefined: a release before wrote it. */
export function readCursor(
  { hasher }: { hasher: Pick<Hasher, 'hash'> },
  filter: ChangeFilter,
  text: string,
): { positions: Position[]; accountId: string | undefined } {
  const [content = '', mac = '', ...rest] = text.split('.')
  const given = Buffer.from(mac, 'base64url')
  const isOurs = rest.length === 0 && given.length === MAC_BYTES && timingSafeEqual(given, macOf(hasher, content))
  if (!isOurs)
    throw invalidInput('bad_parameter', 'cursor', 'is not a cursor from a response; begin again without one.')
  // Only we can have written it, so it is as `writeCursor` writes it.
  const [filtered, positions, accountId] = JSON.parse(
    inflateRawSync(Buffer.from(content, 'base64url')).toString(),
  ) as Cursor
  if (filtered !== filterText(filter))
    throw invalidInput('bad_parameter', 'cursor', 'belongs to other types or services; begin again without one.')
  return {
    positions: positions.map(([profileId, name, seq, ahead]) => ({ profileId, name, seq, start: seq + ahead })),
    accountId,
  }
}

function macOf(hasher: Pick<Hasher, 'hash'>, content: string): Buffer {
  return hasher.hash(PURPOSE, content).subarray(0, MAC_BYTES)
}

function filterText({ types, services }: ChangeFilter): string {
  return JSON.stringify([types?.toSorted() ?? null, services?.toSorted() ?? null])
}

/**
 * Brings the positions of a reader together with the profiles that there are now. `removed` names profiles whose items the
 * reader must drop; what there is of them now is read from its beginning.
 */
export function alignPositions(
  readable: readonly ProfileRef[],
  latest: ReadonlyMap<string, number>,
  known: readonly Position[],
  begin: 'at the beginning' | 'now',
): { positions: Position[]; removed: string[] } {
  const knownById = new Map(known.map((position, rank) => [position.profileId, { position, rank }]))
  const ids = new Set(readable.map(({ profileId }) => profileId))
  const removed = new Set(known.filter(({ profileId }) => !ids.has(profileId)).map(({ name }) => name))
  const lastRank = new Map<string, number>()
  for (const profile of readable) {
    const found = knownById.get(profile.profileId)
    if (found === undefined) continue
    const { name, seq } = found.position
    // The database was restored from a backup: what the reader has of this profile may not exist any more.
    const isAhead = seq > (latest.get(profile.profileId) ?? 0)
    // Another profile of the same service user takes precedence now, so other copies of its items are read.
    const hasLostPrecedence = found.rank < (lastRank.get(name) ?? -1)
    if (isAhead || hasLostPrecedence) removed.add(name)
    lastRank.set(name, found.rank)
  }
  const positions = readable.map((profile) => {
    const name = profileName({ nativeId: profile.owner, service: profile.service })
    const newest = latest.get(profile.profileId) ?? 0
    const found = removed.has(name) ? undefined : knownById.get(profile.profileId)
    const fresh = { profileId: profile.profileId, name, seq: begin === 'now' ? newest : 0, start: newest }
    return found?.position ?? fresh
  })
  return { positions, removed: [...removed] }
}
