import type { DestinationKind } from '#model/destination.ts'
import type { Stored, Verdict } from './push-compare.ts'
import type { Random } from './push-random.ts'

/** A client's own server, that loses its line, its connections or its life. */
export interface Target {
  kind: DestinationKind
  url: string
  options?: Record<string, unknown>
  counts: { cuts: number; crashes: number; refused: number }
  /** The line is cut, or every connection ended at once; then all is well again. */
  disturb(random: Random): Promise<void>
  /** Kills the whole server at once, as a power cut does, and starts it again. */
  crash(): Promise<void>
  /** From now on one write in fifty is refused for no reason, and whatever goes back to something older is noted. */
  misbehave(): Promise<void>
  behave(): Promise<void>
  compare(stored: Stored): Promise<Verdict>
  close(): Promise<void>
}
