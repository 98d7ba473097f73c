import { timingSafeEqual } from 'node:crypto'
import { invalidInput } from '#model/errors.ts'
import type { ChangeFilter } from '#model/item-filter/changes.ts'
import type { FeedPosition } from '#store/push/feed.ts'
import type { Hasher } from '#store/vault.ts'

/** How far a reader of a feed is. Its size does not depend on the number of accounts. */
export interface FeedCursor {
  feedId: string
  /** All entries up to this one are read. */
  position: FeedPosition
  /** The seq up to which the changes of the next entry are read; null: not begun. */
  seq: number | null
  /** While the reader gets what there was before its position: the last profile, and the seq up to which it is read; null: all of it. */
  walk: { profileId: string | undefined; seq: number | null } | undefined
}

const PURPOSE = 'feed_cursor_1'
const MAC_BYTES = 16

type Stored = [
  feedId: string,
  filter: string,
  pos: number,
  at: number,
  seq: number | null,
  walk: [profileId: string | null, seq: number | null] | null,
]

/** Signed, so that a damaged cursor is refused. It grants nothing: the feed is always that of the app that asks. */
export function writeFeedCursor(hasher: Pick<Hasher, 'hash'>, filter: ChangeFilter, cursor: FeedCursor): string {
  const { feedId, position, seq, walk } = cursor
  const stored: Stored = [
    feedId,
    filterText(filter),
    position.pos,
    position.at,
    seq,
    walk === undefined ? null : [walk.profileId ?? null, walk.seq],
  ]
  const content = Buffer.from(JSON.stringify(stored)).toString('base64url')
  return `${content}.${macOf(hasher, content).toString('base64url')}`
}

export function readFeedCursor(hasher: Pick<Hasher, 'hash'>, filter: ChangeFilter, text: string): FeedCursor {
  const [content = '', mac = '', ...rest] = text.split('.')
  const given = Buffer.from(mac, 'base64url')
  const isOurs = rest.length === 0 && given.length === MAC_BYTES && timingSafeEqual(given, macOf(hasher, content))
  if (!isOurs)
    throw invalidInput('bad_parameter', 'cursor', 'is not a cursor from a response; begin again without one.')
  // Only we can have written it, so it is as `writeFeedCursor` writes it.
  const [feedId, filtered, pos, at, seq, walk] = JSON.parse(Buffer.from(content, 'base64url').toString()) as Stored
  if (filtered !== filterText(filter))
    throw invalidInput('bad_parameter', 'cursor', 'belongs to other types or services; begin again without one.')
  return {
    feedId,
    position: { pos, at },
    seq,
    walk: walk === null ? undefined : { profileId: walk[0] ?? undefined, seq: walk[1] },
  }
}

function macOf(hasher: Pick<Hasher, 'hash'>, content: string): Buffer {
  return hasher.hash(PURPOSE, content).subarray(0, MAC_BYTES)
}

function filterText({ types, services }: ChangeFilter): string {
  return JSON.stringify([types?.toSorted() ?? null, services?.toSorted() ?? null])
}
