import type { UpstreamError } from '#upstream/request/errors.ts'
import type { Visit } from '../walk/children-round.ts'

/** Limit: runs in a row that may fail at the same parent; then the parent is left out for an hour and the round goes on. */
const MAX_FAILS = 3

/** Reasons that say nothing about a parent: the service or our rate limiter asks for a wait, or the money is spent. */
const WAITS: UpstreamError['reason'][] = [
  'rate_limited',
  'rate_limited_here',
  'capacity',
  'capacity_here',
  'spending_limit_reached',
  'unpaid',
  'priced',
]

/** The failure concerns these parents alone: the round goes on without them. */
export function isRefusal({ recovery, reason }: UpstreamError, { round, parents }: Visit): boolean {
  if (isWait(reason)) return false
  if (recovery === 'stop' || recovery === 'skip' || recovery === 'restart') return true
  if (recovery !== 'retry') return false
  return round.failedAt?.parent === parents[0]?.id && (round.failedAt?.times ?? 0) >= MAX_FAILS
}

/** It is tried in another way before a refusal is noted. A restart forgets the checkpoint of this parent alone. */
export function isTrial(visit: Visit, { recovery }: UpstreamError): boolean {
  return visit.isTrial || (recovery === 'restart' && visit.hasCheckpoint)
}

export function isWait(reason: UpstreamError['reason']): boolean {
  return WAITS.includes(reason)
}
