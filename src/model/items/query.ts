import type { Term } from './text-query.ts'
import type { TypeName } from './types.ts'

/** The place of an item in the order of items. */
export interface ItemKey {
  at: number
  id: string
}

/** A validated query for items. */
export interface Query {
  limit: number
  /** Inclusive, epoch ms. */
  since: number
  until: number
  /** Only items whose content changed at this time or later. */
  updatedSince: number | undefined
  /** Only items that follow this one in the sort order. */
  before: ItemKey | undefined
  /** Only items up to this one in the sort order: the end of a page that was found before it is read. */
  through?: ItemKey
  sort: 'desc' | 'asc'
  /** The terms of a search; empty for a search without a usable word, which finds nothing. */
  terms: Term[] | undefined
  participants: ParticipantRule[]
  near: { lat: number; lng: number; km: number } | undefined
  /** Without copies. */
  dedup: boolean
  /** With the original of each copy. */
  copyOf: boolean
  /** Only items that are a page or link to it: these are its dedupe keys. */
  link: readonly string[] | undefined
}

/** Who must have taken part. Without an id: the profile's owner. */
export type ParticipantRule =
  | { rule: 'takes_part' | 'author'; id: string | undefined }
  | { rule: 'at_least'; count: number }
  /** One of these service users, by service: they are one person. */
  | { rule: 'any_of'; users: ReadonlyMap<string, readonly string[]> }

/** The items of one endpoint, or of one type. */
export type Selection = { endpoint: string } | { type: TypeName }

export const DEFAULT_LIMIT = 20
export const DEFAULT_WITHIN_KM = 10
/** Limit: the n of the participant rule `>n`, because no item has more participants; a larger one is answered with 400. */
export const MAX_PARTICIPANT_COUNT = 16
