import type { z } from 'zod'
import type { DeliveryProfile, DeliveryRow, Destination, DestinationSecrets, PutRow } from '#model/apps/destination.ts'
import type { Egress } from '#platform/egress/guard.ts'
import type { SocketTimeouts } from './checked-socket.ts'

// What a kind of destination implements (Kind, Connection), what it is given (KindDeps, Batch, Erasure, PushEvent) and what it
// throws (DeliveryError, CheckpointDiffers). test/spec/push/kinds/conformance.test.ts holds every kind to it.

/**
 * A kind of destination, such as PostgreSQL or webhooks. One folder implements one kind; kinds.ts lists them. A kind never
 * imports another kind and never uses our database.
 */
export interface Kind {
  /** The options of the kind, each with a description for the docs. A strict object, so that misspelt names are refused. */
  options: z.ZodObject
  /**
   * Throws an `ApiError` with a sentence for the app when the address is malformed or must not be used. Connects nowhere.
   * Returns the host that it names; undefined for a folder.
   */
  checkAddress(url: string, appId: string): NetworkHost | undefined
  /** Returns at once; the connection is made by the first method that needs it. */
  open(deps: KindDeps, destination: Destination, secrets: DestinationSecrets): Connection
  /** The statements that create its tables and views; absent where it has none. */
  tables?: string[]
  /** Whether connections have `notify`. */
  takesEvents: boolean
  /**
   * Whether to deliver deletes of rows that the destination may never have had. True where such a delete is free, as in a
   * database; false where it is a message.
   */
  takesUnknownDeletes: boolean
  /** Generates a signing secret, which the app sees once. Absent when the kind signs nothing. */
  newSigning?: () => string
}

/** The host of a destination. */
export interface NetworkHost {
  host: string
  /** Without TLS: only allowed on a private network that the operator opened. */
  wantsPlain: boolean
  /** An address without TLS is refused when it is set, unless its name is known to be in such a network. */
  mustBeListed?: boolean
}

export interface KindDeps {
  /** The only way to the network: refuses addresses that the operator did not allow. */
  egress: Egress
  clock: { now(): number }
  /** Overrides the timeouts of database connections, for tests. */
  socketTimeouts?: Partial<SocketTimeouts>
  /** Overrides how long a destination may take to respond, for tests. */
  waitMs?: number | undefined
}

/**
 * An open connection to one destination, used by several runs at once.
 *
 * Delivery is at least once: every write may be repeated, and a run that was frozen may write after a newer one. Neither may do
 * harm:
 * - A row is identified by profile and id together, because two accounts may have the same service user.
 * - A row replaces one with the same or a lower `seq`, never one with a greater `seq`.
 * - The checkpoint of a profile is stored together with its rows. A batch with a lower `epoch` than the checkpoint writes
 *   nothing and throws `CheckpointDiffers`. A webhook cannot store one: it gets the epoch as `run` and compares itself.
 *
 * All methods throw `DeliveryError` for what goes wrong at the destination.
 */
export interface Connection {
  /** Creates and upgrades tables, streams or folders. Called before the first write of a process, and again after a failure. */
  prepare(): Promise<void>
  /** Tries everything that writing needs, leaves nothing behind and reports each step. */
  test(): Promise<Finding[]>
  /** Writes the rows, the profile and the checkpoint: all of them, or (where the destination has no transactions) rows first. */
  write(batch: Batch): Promise<void>
  /** Permanently removes everything of a profile. Its checkpoint stays, with `seq` -1, so that an older run cannot restore it. */
  erase(erasure: Erasure): Promise<void>
  /** Compares and removes rows. Absent when the destination cannot be read, such as a webhook. */
  verifier?: Verifier
  /** Delivers an event. Absent when the kind takes none. */
  notify?(event: PushEvent): Promise<void>
  /** Removes what prepare() created, with all rows: all of it, or (see `countRemovals`) says what is removed when it fails. */
  drop(): Promise<void>
  /** Ends requests in progress and closes. */
  close(): Promise<void>
}

/** Rows of one profile, ordered by `seq`. May be empty: then only the checkpoint and the profile are written. */
export interface Batch {
  destinationId: string
  profile: DeliveryProfile
  /** The profile changed since the destination last got it. */
  includesProfile: boolean
  rows: DeliveryRow[]
  /** The least `seq` that the destination's checkpoint must have, because we wrote it; 0 when nothing was written yet. */
  from: number
  /** The `seq` of the checkpoint after these rows. A replay sets it back. */
  upTo: number
  /** The fencing token. Grows with every run of this profile: an older run must not write after a newer one. */
  epoch: number
  /** Grows with every replay, so that receivers that ignore repeated messages accept the same rows again. */
  generation: number
}

/** A profile to remove. Its checkpoint stays with this `epoch`. */
export interface Erasure {
  destinationId: string
  profileId: string
  epoch: number
}

/** How far the destination itself says it is with a profile. */
export interface Checkpoint {
  /** -1: the profile was erased and must not be written again. */
  seq: number
  epoch: number
  /** Our time when it was written. */
  updatedAtMs: number
}

/** Something that happened to a destination or delivery, for apps that subscribed to events. */
export interface PushEvent {
  id: string
  type: string
  at: number
  data: Record<string, unknown>
}

/** Reads a destination, to find and repair differences. */
export interface Verifier {
  /** The differences between these rows and those at the destination, in one range of ids of a profile. */
  compare(profileId: string, range: IdRange, rows: PutRow[]): Promise<Differences>
  /** Removes rows, each only if it still has the `seq` that was found. */
  remove(profileId: string, rows: FoundRow[]): Promise<void>
}

/** Ids greater than `after` and not greater than `upTo`; without `upTo`, all that follow. */
export interface IdRange {
  after: string
  upTo: string | undefined
}

export interface Differences {
  /** Missing at the destination, deleted there or different. */
  wrong: FoundRow[]
  /** Live rows in the range that were not among those compared. */
  extra: FoundRow[]
}

/** A row at the destination; `seq` is undefined when it is missing. */
export interface FoundRow {
  id: string
  seq: number | undefined
}

/** The result of one step of test(). */
export interface Finding {
  check: string
  ok: boolean
  detail: string
}

/**
 * What to do about an error. `retry`: try again later. `reject`: the destination will never accept these rows, but others.
 * `gone`: the receiver wants no more deliveries.
 */
export type DeliveryRecovery = 'retry' | 'reject' | 'gone'

/** A write that did not happen. The message is shown to the app, so it contains neither secrets nor personal data. */
export class DeliveryError extends Error {
  readonly recovery: DeliveryRecovery
  readonly retryAfterMs: number | undefined
  /** The row that the destination named as the reason: a hint, which may be wrong. */
  readonly rowId: string | undefined
  /** What a drop removed before it failed, as words; undefined: nothing. */
  readonly removed: string | undefined

  constructor(
    recovery: DeliveryRecovery,
    message: string,
    options: {
      retryAfterMs?: number | undefined
      rowId?: string | undefined
      removed?: string | undefined
      cause?: unknown
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'DeliveryError'
    this.recovery = recovery
    this.retryAfterMs = options.retryAfterMs
    this.rowId = options.rowId
    this.removed = options.removed
  }
}

/**
 * Thrown by write() and erase() before anything is written. The destination's checkpoint has a greater epoch than the batch (a
 * newer run wrote, or our database was restored from a backup), or it is missing or less than `batch.from` (the destination
 * was restored).
 */
export class CheckpointDiffers extends DeliveryError {
  readonly checkpoint: Checkpoint | undefined

  constructor(checkpoint: Checkpoint | undefined) {
    super('retry', 'The checkpoint at the destination is not the expected one.')
    this.name = 'CheckpointDiffers'
    this.checkpoint = checkpoint
  }
}
