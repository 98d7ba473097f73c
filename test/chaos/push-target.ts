import type { DestinationKind } from '#model/apps/destination.ts'
import type { Stored, Verdict } from './push-compare.ts'
import type { Random } from './push-random.ts'

/** An app's server whose connections are cut and which is killed. */
export interface Target {
  kind: DestinationKind
  url: string
  options?: Record<string, unknown>
  counts: { cuts: number; crashes: number; refused: number }
  /** Cuts all connections for a while. */
  disturb(random: Random): Promise<void>
  /** Kills the whole server at once, like a power failure, and starts it again. */
  crash(): Promise<void>
  /** From now on one write in fifty is refused, and every row that is replaced by an older one is recorded. */
  misbehave(): Promise<void>
  behave(): Promise<void>
  compare(stored: Stored): Promise<Verdict>
  close(): Promise<void>
}
