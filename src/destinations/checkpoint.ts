import { type Checkpoint, DeliveryError } from './contract.ts'

/** Limit: numbers in a destination's checkpoint, from which our own may have to continue. Beyond it the delivery fails. */
const MAX_CHECKPOINT = 2 ** 48

/**
 * A checkpoint as it was read from a destination. Others may have changed it there, and it decides where delivery continues,
 * so only values that can have been written by us are accepted. Databases give numbers as text.
 */
export function checkpointOf({ seq, epoch, updatedAtMs }: Record<keyof Checkpoint, unknown>): Checkpoint {
  return { seq: numberOf(seq, -1), epoch: numberOf(epoch, 0), updatedAtMs: numberOf(updatedAtMs, 0) }
}

function numberOf(value: unknown, min: number): number {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= min && number <= MAX_CHECKPOINT)
    return number
  throw new DeliveryError(
    'retry',
    'The checkpoint at the destination cannot be read; remove it, or deliver to another location.',
  )
}
