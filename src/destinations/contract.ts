import type { z } from 'zod'
import type { DeliveryProfile, DeliveryRow, Destination, DestinationSecrets, PutRow } from '#model/destination.ts'
import type { Egress } from '#platform/egress/guard.ts'
import type { SocketTimeouts } from './checked-socket.ts'

/** What helps: `retry` later; `reject`: these rows and no others; `gone`: the receiver wants no more, ever. */
export type DeliveryRecovery = 'retry' | 'reject' | 'gone'

/** A write that did not happen. The message is shown to the app, so it holds no password and nobody's data. */
export class DeliveryError extends Error {
  readonly recovery: DeliveryRecovery
  readonly retryAfterMs: number | undefined
  /** The row that the destination named, where it names one: a hint, which may be wrong. */
  readonly rowId: string | undefined

  constructor(
    recovery: DeliveryRecovery,
    message: string,
    options: { retryAfterMs?: number | undefined; rowId?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'DeliveryError'
    this.recovery = recovery
    this.retryAfterMs = options.retryAfterMs
    this.rowId = options.rowId
  }
}

/** How far the destination itself says it is with a profile. */
export interface Checkpoint {
  /** -1: it was erased there, and must not come back. */
  seq: number
  epoch: number
  /** Our own time when it was written. */
  updatedAtMs: number
}

/**
 * Thrown by write() before anything is written: the destination's checkpoint has a greater epoch than the batch (a newer run has
 * written, or our own store was restored from a backup), or is missing or less than `batch.from` (theirs was restored).
 */
export class CheckpointDiffers extends DeliveryError {
  readonly checkpoint: Checkpoint | undefined

  constructor(checkpoint: Checkpoint | undefined) {
    super('retry', 'The destination is at another place than expected.')
    this.name = 'CheckpointDiffers'
    this.checkpoint = checkpoint
  }
}

/** Rows of one profile, in order. */
export interface Batch {
  destinationId: string
  profile: DeliveryProfile
  /** The destination does not know the profile as it is now. */
  includesProfile: boolean
  rows: DeliveryRow[]
  /** What the destination's checkpoint must at least be at, because we wrote it there; 0 when nothing was written yet. */
  from: number
  /** The number the profile is at after these rows; becomes the checkpoint. A replay sets it back. */
  upTo: number
  /** Grows with every run of this profile: an older one must not write after a newer. */
  epoch: number
  /** Grows when rows are asked for again: the same rows are then a new message, not a repetition. */
  generation: number
}

/** A profile that is gone; its checkpoint stays with this `epoch` and a seq of -1, so that an older run cannot bring rows back. */
export interface Erasure {
  destinationId: string
  profileId: string
  epoch: number
}

/** Something that happened, for those who asked to be told. */
export interface PushEvent {
  id: string
  type: string
  at: number
  data: Record<string, unknown>
}

/** A row as it is there; without a number when it is missing. */
export interface FoundRow {
  id: string
  seq: number | undefined
}

/** Ids between these two, without the first; to the end without a last. */
export interface Span {
  after: string
  upTo: string | undefined
}

export interface Differences {
  wrong: FoundRow[]
  /** Live rows in the span that were not among those compared. */
  extra: FoundRow[]
}

export interface Reading {
  /** What of a span of a profile's rows is not as it should be. */
  compare(profileId: string, span: Span, rows: PutRow[]): Promise<Differences>
  /** Takes rows out, each only while it has the number that was found. */
  remove(profileId: string, rows: FoundRow[]): Promise<void>
}

export interface Finding {
  check: string
  ok: boolean
  detail: string
}

/**
 * An open way into one destination. Every write may come twice, and an older one after a newer: neither may do harm. A row is
 * known by profile and id together, because two accounts may hold the same service user. A row replaces one with the same or a
 * lesser `seq`, never one with a greater.
 */
export interface Connection {
  /** Makes and evolves what it writes into. Called before the first write of a process, and again after a failure. */
  prepare(): Promise<void>
  /** Tries everything that writing needs, and leaves nothing behind. */
  test(): Promise<Finding[]>
  write(batch: Batch): Promise<void>
  /** Takes out all that belongs to a profile, for good. */
  erase(erasure: Erasure): Promise<void>
  /** Where a destination can be read. */
  reading?: Reading
  /** Where a destination can take news beside rows. */
  notify?(event: PushEvent): Promise<void>
  /** Removes what prepare() made. */
  drop(): Promise<void>
  close(): Promise<void>
}

export interface KindDeps {
  egress: Egress
  clock: { now(): number }
  /** Other time limits for databases than the usual ones. */
  socketTimeouts?: Partial<SocketTimeouts>
  /** How long a destination may take to answer, where the usual time of its kind does not fit. */
  waitMs?: number | undefined
}

/** A kind of destination: one file each. */
export interface Kind {
  /** What can be set, each with its meaning; strict, so that a misspelt name is refused. */
  options: z.ZodObject
  /** Refuses addresses it cannot or must not use, with a sentence for the app. */
  checkAddress(url: string, appId: string): void
  open(deps: KindDeps, destination: Destination, secrets: DestinationSecrets): Connection
  /** Whether its connections can `tell`. */
  takesEvents: boolean
  /** Whether it wants deletions of rows it may never have had. */
  takesUnknownDeletes: boolean
  /** Secrets of its own that are made with it, shown once. */
  newSigning?: () => string
}
