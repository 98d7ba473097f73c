import { createHmac, randomBytes } from 'node:crypto'
import { ApiError } from '#model/errors.ts'
import type { Clock } from '#platform/clock.ts'
import { createKeyedMutex, type KeyedMutex } from '#platform/keyed-mutex.ts'
import type { Database } from '#platform/postgres/database.ts'
import { countAttempts, releaseAttempts, reserveAttempts } from '#store/apps/attempts.ts'

export interface GuessDeps {
  database: Database
  clock: Clock
}

export interface Guess {
  /** What the secret belongs to: an app, the admin API, a hook. */
  subject: string
  /** Where the caller is. Others are not touched, so that nobody can lock an app out. */
  address: string
  /** The secret as it was shown. One that was right before, from this address, is no guess. */
  shown?: string
  /** Counts for this subject alone, where one address calls for many apps and one of them may be set up wrong. */
  alone?: boolean
}

const WINDOW_MS = 60_000
/** Limit: wrong secrets from one address in a minute for one app, hook or the admin API; beyond it the address is refused until the minute is over. */
const MAX_WRONG_PER_SUBJECT = 30
/** Limit: wrong secrets from one address in a minute for all together; beyond it the address is refused until the minute is over. */
const MAX_WRONG_PER_ADDRESS = 100
export const ATTEMPTS = { perSubject: MAX_WRONG_PER_SUBJECT, perAddress: MAX_WRONG_PER_ADDRESS }
/** Limit: calls of one address that wait for their secret to be compared; more are refused at once. */
const MAX_WAITING_GUESSES = 1000
/** Limit: secrets that one process remembers as right; the oldest is forgotten, and is compared in turn the next time. */
const MAX_KNOWN_SECRETS = 10_000

interface Memory {
  mutex: KeyedMutex
  known: Set<string>
}

// For each database rather than for the module, so that two services in one process do not share what is right.
const memories = new WeakMap<Database, Memory>()
const memoryKey = randomBytes(32)

/**
 * Counts first and compares then: of any number of guesses at once, no more than the limit is ever compared, over all processes.
 * What turns out right is taken off the count again. Guesses of one address wait for each other, so that honest callers
 * are counted one at a time; a secret that was right before is compared without waiting.
 */
export async function limitGuesses<Result>(
  deps: GuessDeps,
  guess: Guess,
  refusal: () => ApiError,
  compare: () => Promise<Result | undefined>,
): Promise<Result> {
  const memory = memoryOf(deps.database)
  const known = knownAs(guess)
  const isKnown = () => known !== undefined && memory.known.has(known)
  if (!isKnown()) {
    if (memory.mutex.pending(guess.address) >= MAX_WAITING_GUESSES) throw tooMany(deps)
    const found = await memory.mutex.run(guess.address, async () =>
      isKnown() ? undefined : { result: await compareCounted(deps, guess, refusal, compare) },
    )
    if (found !== undefined) {
      if (known !== undefined) remember(memory, known)
      return found.result
    }
  }
  await refuseGuesser(deps, guess)
  const result = await compare()
  if (result !== undefined) return result
  // Right before, and no longer: from now on it is a guess like any other.
  memory.known.delete(known!)
  await reserve(deps, guess)
  throw refusal()
}

async function compareCounted<Result>(
  deps: GuessDeps,
  guess: Guess,
  refusal: () => ApiError,
  compare: () => Promise<Result | undefined>,
): Promise<Result> {
  const window = await reserve(deps, guess)
  const result = await compare()
  if (result === undefined) throw refusal()
  await releaseAttempts(deps.database, subjectsOf(guess), window)
  return result
}

/** Counts one more and gives the minute it counts for. */
async function reserve(deps: GuessDeps, guess: Guess): Promise<number> {
  const window = windowOf(deps)
  const counts = await reserveAttempts(deps.database, subjectsOf(guess), window)
  if (isOver(guess, counts, 1)) throw tooMany(deps)
  return window
}

async function refuseGuesser(deps: GuessDeps, guess: Guess): Promise<void> {
  if (isOver(guess, await countAttempts(deps.database, subjectsOf(guess), windowOf(deps)), 0)) throw tooMany(deps)
}

/** `own`: how many of the counted ones are this very call. */
function isOver(guess: Guess, counts: Map<string, number>, own: number): boolean {
  const before = (subject: string) => (counts.get(subject) ?? 0) - own
  if (before(subjectKey(guess)) >= ATTEMPTS.perSubject) return true
  return guess.alone !== true && before(guess.address) >= ATTEMPTS.perAddress
}

// The address first: two callers that lock both rows lock them in one order.
function subjectsOf(guess: Guess): string[] {
  return guess.alone === true ? [subjectKey(guess)] : [guess.address, subjectKey(guess)]
}

function subjectKey({ subject, address }: Guess): string {
  return `${address} ${subject.slice(0, 64)}`
}

function windowOf({ clock }: GuessDeps): number {
  const now = clock.now()
  return now - (now % WINDOW_MS)
}

function tooMany(deps: GuessDeps): ApiError {
  const leftMs = windowOf(deps) + WINDOW_MS - deps.clock.now()
  return new ApiError('too_many_attempts', undefined, { retryAfterS: Math.max(1, Math.ceil(leftMs / 1000)) })
}

function memoryOf(database: Database): Memory {
  const memory = memories.get(database) ?? { mutex: createKeyedMutex(), known: new Set<string>() }
  memories.set(database, memory)
  return memory
}

function remember({ known }: Memory, key: string): void {
  if (known.size >= MAX_KNOWN_SECRETS) for (const oldest of known.values().take(1)) known.delete(oldest)
  known.add(key)
}

// Keyed with chance of this process: what is remembered tells nobody a secret.
function knownAs({ subject, address, shown }: Guess): string | undefined {
  if (shown === undefined) return undefined
  return createHmac('sha256', memoryKey)
    .update(JSON.stringify([subject, address, shown]))
    .digest('base64')
}
