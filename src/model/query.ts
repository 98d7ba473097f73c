import type { Term } from './text-query.ts'
import type { TypeName } from './types.ts'

/** A validated query for items. */
export interface Query {
  limit: number
  /** Inclusive, epoch ms. */
  since: number
  until: number
  /** Only items that follow this one in the sort order. */
  before: { at: number; id: string } | undefined
  sort: 'desc' | 'asc'
  /** The terms of a search; empty for a search without a usable word, which finds nothing. */
  terms: Term[] | undefined
  participants: ParticipantRule[]
  near: { lat: number; lng: number; km: number } | undefined
  dedup: boolean
}

/** Who must have taken part. Without an id: the profile's owner. */
export type ParticipantRule =
  | { rule: 'takes_part' | 'author'; id: string | undefined }
  | { rule: 'at_least'; count: number }

/** The items of one endpoint, or of one type. */
export type Selection = { endpoint: string } | { type: TypeName }

export const DEFAULT_LIMIT = 20
export const DEFAULT_WITHIN_KM = 10
/** Limit: the n of the participant rule `>n`, because no item has more participants; a larger one is answered with 400. */
export const MAX_PARTICIPANT_COUNT = 16
