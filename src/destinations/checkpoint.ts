import { type Checkpoint, DeliveryError } from './contract.ts'

/** Limit: numbers in a destination's checkpoint, from which our own may have to continue. Beyond it the delivery fails. */
const MAX_CHECKPOINT = 2 ** 48

type Unchecked = Record<keyof Checkpoint, unknown>

/**
 * A checkpoint as it was read from a destination. Others may have changed it there, and it decides where delivery continues,
 * so only values that can have been written by us are accepted.
 */
export function checkpointOf({ seq, epoch, updatedAtMs }: Unchecked): Checkpoint {
  return { seq: checked(seq, -1), epoch: checked(epoch, 0), updatedAtMs: checked(updatedAtMs, 0) }
}

/** The same for databases, whose drivers give large numbers as text. */
export function checkpointFromText({ seq, epoch, updatedAtMs }: Unchecked): Checkpoint {
  return checkpointOf({ seq: numberIn(seq), epoch: numberIn(epoch), updatedAtMs: numberIn(updatedAtMs) })
}

function numberIn(value: unknown): unknown {
  return typeof value === 'string' && value !== '' ? Number(value) : value
}

function checked(value: unknown, min: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= MAX_CHECKPOINT) return value
  throw new DeliveryError(
    'retry',
    'The checkpoint at the destination cannot be read; remove it, or deliver to another location.',
  )
}
