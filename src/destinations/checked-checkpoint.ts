import { type Checkpoint, DeliveryError } from './contract.ts'

/** Limit: the greatest number and epoch that a destination may claim; beyond it the checkpoint counts as unreadable. */
const MAX_CLAIMED = 2 ** 50

/** A checkpoint as a destination gives it back. Anybody may have written it there, and it decides where deliveries go on. */
export function checkedCheckpoint(seq: unknown, epoch: unknown, updatedAtMs: unknown): Checkpoint {
  if (isWithin(seq, -1) && isWithin(epoch, 0) && isWithin(updatedAtMs, 0)) return { seq, epoch, updatedAtMs }
  throw new DeliveryError(
    'retry',
    'The checkpoint at the destination cannot be read; remove it, or deliver to another place.',
  )
}

function isWithin(value: unknown, least: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= MAX_CLAIMED
}
