import { createHash } from 'node:crypto'
import { first, type Pair } from '../../base/pairs.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import type { TrackedStore } from './tracked-store.ts'

/** Positions of a list, which a test can make the service forget. */
export interface Positions {
  generationOf(name: string): number
  forget(name: string): void
}

export function createPositions(): Positions {
  const generations = new Map<string, number>()
  return {
    generationOf: (name) => generations.get(name) ?? 0,
    forget: (name) => void generations.set(name, (generations.get(name) ?? 0) + 1),
  }
}

interface Position {
  owner: string
  list: string
  /** A position is valid only with the parameters it was given for. */
  parameters: string
  generation: number
  /** Changes after this number; 0: everything. */
  after: number
  /** The newest change when the list began. */
  upTo: number
  offset: number
  page: boolean
}

export interface ListRequest {
  owner: string
  /** The kind of its items in the store. */
  list: string
  query: readonly Pair[]
  size: number
  /** Parameters that must stay the same. */
  fixed: string[]
}

type Listed = { items: StoredItem[]; nextPageToken?: string; nextSyncToken?: string; isChanges: boolean }
type Problem = { problem: 'invalid' | 'forgotten' | 'parameters'; parameter: string }

/** One page of everything, or of what changed since a sync token; the last page has the next token. */
export function listFrom(
  tracked: TrackedStore,
  positions: Positions,
  { owner, list, query, size, fixed }: ListRequest,
): Listed | Problem {
  const parameters = fingerprint(fixed.map((name) => first(query, name) ?? '').join('\n'))
  const generation = positions.generationOf(list)
  const [pageToken, syncToken] = [first(query, 'pageToken'), first(query, 'syncToken')]
  const parameter = pageToken === undefined ? 'syncToken' : 'pageToken'
  const given = pageToken ?? syncToken
  const from = given === undefined ? undefined : decode(given)
  if (given !== undefined) {
    if (from?.owner !== owner || from.list !== list || from.page !== (pageToken !== undefined))
      return { problem: 'invalid', parameter }
    if (from.generation !== generation) return { problem: 'forgotten', parameter }
    if (from.parameters !== parameters) return { problem: 'parameters', parameter }
  }
  const latest = tracked.latest(owner, list)
  const { after, offset, upTo } = from ?? { after: 0, offset: 0, upTo: latest }
  const isChanges = after > 0 || (syncToken !== undefined && pageToken === undefined)
  const all = [...tracked.store.list(owner, list)]
    .filter((item) => (isChanges ? tracked.numberOf(item) > after : isShown(item)))
    .sort((a, b) => tracked.numberOf(a) - tracked.numberOf(b))
  const items = all.slice(offset, offset + size)
  const common = { owner, list, parameters, generation }
  const hasMore = offset + size < all.length
  return {
    items,
    isChanges,
    ...(hasMore
      ? { nextPageToken: encode({ ...common, after, upTo, offset: offset + size, page: true }) }
      : {
          nextSyncToken: encode({
            ...common,
            after: pageToken === undefined ? latest : upTo,
            upTo: 0,
            offset: 0,
            page: false,
          }),
        }),
  }
}

const fingerprint = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 12)

const encode = (position: Position): string => Buffer.from(JSON.stringify(position)).toString('base64url')

function decode(token: string): Position | undefined {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString()) as Position
  } catch {
    return undefined
  }
}
