import type { Term } from './text-query.ts'
import type { TypeName } from './types.ts'

/** What a reader asks of items. All rules of the parameters are settled by the time one of these exists. */
export interface Query {
  limit: number
  /** Inclusive, epoch ms. */
  since: number
  until: number
  /** Only what comes after this item in the order of reading. */
  before: { at: number; id: string } | undefined
  sort: 'desc' | 'asc'
  /** What a search wants; empty for one that has no usable word and so finds nothing. */
  terms: Term[] | undefined
  participants: ParticipantRule[]
  near: { lat: number; lng: number; km: number } | undefined
  dedup: boolean
}

/** Who must have taken part. Without an id it is the profile's owner. */
export type ParticipantRule =
  | { rule: 'takes_part' | 'author'; id: string | undefined }
  | { rule: 'at_least'; count: number }

/** Which items at all: one endpoint, or those of a type. */
export type Selection = { endpoint: string } | { type: TypeName }

export const DEFAULT_LIMIT = 20
export const DEFAULT_WITHIN_KM = 10
/** Limit: the n of the participant rule `>n`, for no item has more participants; a larger one is answered with 400. */
export const MAX_PARTICIPANT_COUNT = 16
