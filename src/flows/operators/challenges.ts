import { randomBytes } from 'node:crypto'
import { ApiError } from '#model/errors.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { answerChallenge } from '#store/operators/passkeys.ts'
import type { OperatorDeps } from './deps.ts'

/** How long a person may take to answer. */
const CHALLENGE_MS = 5 * 60_000
const RANDOM_BYTES = 16
const TIME_BYTES = 8

/**
 * A challenge for a passkey, or a ticket: random bytes, its end, and a keyed hash of both and of what it is for. Nothing is stored until it was
 * answered rightly, so that requests for challenges cannot fill a table.
 */
export function newChallenge(
  deps: Pick<OperatorDeps, 'hasher' | 'clock'>,
  purpose: string,
  ttlMs = CHALLENGE_MS,
): string {
  const head = Buffer.alloc(RANDOM_BYTES + TIME_BYTES)
  randomBytes(RANDOM_BYTES).copy(head)
  head.writeBigUInt64BE(BigInt(deps.clock.now() + ttlMs), RANDOM_BYTES)
  return Buffer.concat([head, seal(deps, purpose, head)]).toString('base64url')
}

/** Whether we issued the challenge for this purpose, and it has not ended. */
export function isOurChallenge(
  deps: Pick<OperatorDeps, 'hasher' | 'clock'>,
  purpose: string,
  challenge: string,
): boolean {
  const bytes = Buffer.from(challenge, 'base64url')
  const head = bytes.subarray(0, RANDOM_BYTES + TIME_BYTES)
  if (head.length < RANDOM_BYTES + TIME_BYTES || endOf(head) <= deps.clock.now()) return false
  return deps.hasher.matches('passkey_challenge', textOf(purpose, head), bytes.subarray(head.length))
}

/** Uses the challenge up. Call it in the transaction of what it allows. */
export async function useChallenge(deps: Pick<OperatorDeps, 'hasher'>, tx: Queries, challenge: string): Promise<void> {
  if (!(await takeChallenge(deps, tx, challenge)))
    throw new ApiError('passkey_refused', 'This answer of the passkey was used before.')
}

/** False if it was used before. Other texts may stand for the same bytes, so the bytes count. */
export function takeChallenge(
  { hasher }: Pick<OperatorDeps, 'hasher'>,
  queries: Queries,
  challenge: string,
): Promise<boolean> {
  const bytes = Buffer.from(challenge, 'base64url')
  return answerChallenge(queries, hasher.hash('answered_challenge', bytes.toString('base64url')), endOf(bytes))
}

function endOf(head: Buffer): number {
  return Number(head.readBigUInt64BE(RANDOM_BYTES))
}

function seal({ hasher }: Pick<OperatorDeps, 'hasher'>, purpose: string, head: Buffer): Buffer {
  return hasher.hash('passkey_challenge', textOf(purpose, head))
}

function textOf(purpose: string, head: Buffer): string {
  return `${purpose} ${head.toString('base64url')}`
}
