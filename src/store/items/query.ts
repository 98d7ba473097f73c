import type { Query, Selection } from '#model/items/query.ts'
import { baseOf } from '#model/items/types.ts'
import type { Queries } from '#platform/postgres/database.ts'
import type { Proof } from '../identity/access-tokens.ts'
import type { ReadableProfile } from '../identity/readable-profiles.ts'
import type { ItemOfProfile } from './copies.ts'
import { listItems } from './list-items.ts'

/** An item as a query returns it; JSON stays text. */
export interface FoundItem {
  profileId: string
  id: string
  endpoint: string
  nativeId: string
  at: number
  updatedAt: number
  types: number
  guid: readonly string[]
  oembed: string
  data: string
  seq: number
  /** Only where copies are looked for. */
  author?: string | null | undefined
  /** The item of which this one is a copy, where that was asked for. */
  copyOf?: ItemOfProfile | undefined
}

/** The columns of every list, then those of `columns`. */
export type FoundRow = [
  profileId: string,
  id: string | null,
  at: number,
  endpoint: string,
  nativeId: string,
  updatedAt: number,
  types: number,
  guid: string,
  oembed: string,
  data: string,
  seq: number,
]

// One text is cheaper to parse than an array, and it is nearly always empty.
const GUID_SEPARATOR = '\u001F'
const NO_GUIDS: readonly string[] = []
const columnsWith = <Oembed extends string>(oembed: Oembed) =>
  `i.endpoint, i.native_id, i.updated_at, i.types,
  array_to_string(i.guid, '${GUID_SEPARATOR}') as guid, ${oembed}::text as oembed, i.data::text as data, i.seq` as const
export const columns = columnsWith('i.oembed')

/** What a list of items reads: also who made them, where copies are looked for. */
export function columnsFor(selection: Selection, { dedup, copyOf }: Pick<Query, 'dedup' | 'copyOf'>): string {
  return dedup || copyOf ? `${shownColumns(selection)}, i.author` : shownColumns(selection)
}

/** `oembed` is the card of the selected type. Most items have one type, no other cards, and cost nothing more. */
function shownColumns(selection: Selection): string {
  if (!('type' in selection) || selection.type === 'all' || selection.type === 'all_feed') return columns
  return columnsWith(`coalesce(i.cards -> '${baseOf(selection.type)}', i.oembed)`)
}

/**
 * One page of items in reading order. With a proof, checks that the token still opens these profiles; throws `AccountChanged`
 * when it does not.
 */
export function queryItems(
  queries: Queries,
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  limit: number,
  proof?: Proof,
): Promise<FoundItem[]> {
  return listItems(queries, { readable, selection, query, limit, proof }, columnsFor(selection, query), toItem)
}

export function toItem(row: [...FoundRow, author?: string | null]): FoundItem {
  const [profileId, id, at, endpoint, nativeId, updatedAt, types, guid, oembed, data, seq, author] = row
  return {
    profileId,
    id: id!.replaceAll('-', ''),
    endpoint,
    nativeId,
    at,
    updatedAt,
    types,
    guid: guid === '' ? NO_GUIDS : guid.split(GUID_SEPARATOR),
    oembed,
    data,
    seq,
    author,
  }
}
