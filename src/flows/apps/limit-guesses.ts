import { createHmac, randomBytes } from 'node:crypto'
import { ApiError } from '#model/errors.ts'
import type { RateLimit } from '#model/sync/rate-limit.ts'
import type { Clock } from '#platform/clock.ts'
import { networkOf } from '#platform/formats/network-of.ts'
import type { Database } from '#platform/postgres/database.ts'
import { createKeyedMutex, type KeyedMutex } from '#platform/waiting/keyed-mutex.ts'
import { countAttempts, releaseAttempts, reserveAttempts } from '#store/apps/attempts.ts'

export interface GuessDeps {
  database: Database
  clock: Clock
}

export interface Guess {
  /** What the secret belongs to: an app, the admin API, a hook. */
  subject: string
  /** The caller's network address. Guesses are counted per address, IPv6 by /64 network, so that nobody can lock an app out for others. */
  address: string
  /** The secret as it was sent. One that was right before, from this address, does not count as a guess. */
  secret?: string
  /** Count per subject only, for an address that calls for many apps, of which one may have a wrong secret. */
  alone?: boolean
  /** A lower limit for this subject. */
  perSubject?: number
}

const WINDOW_MS = 60_000
/** Limit (requests): wrong secrets from one address in a minute for one app, hook or the admin API; beyond it the address is refused until the minute is over. */
const MAX_WRONG_PER_SUBJECT = 30
/** Limit (requests): wrong secrets from one address in a minute in total; beyond it the address is refused until the minute is over. */
const MAX_WRONG_PER_ADDRESS = 100
export const ATTEMPTS = { perSubject: MAX_WRONG_PER_SUBJECT, perAddress: MAX_WRONG_PER_ADDRESS }
/** Limit: requests of one address that wait for their secret to be compared; further ones are refused immediately. */
const MAX_WAITING_GUESSES = 1000
/** Limit: secrets that one process remembers as right; the oldest is forgotten, and waits for its turn the next time. */
const MAX_KNOWN_SECRETS = 10_000

interface Memory {
  mutex: KeyedMutex
  known: Set<string>
}

// Per database rather than per module, so that two services in one process do not share known secrets.
const memories = new WeakMap<Database, Memory>()
const memoryKey = randomBytes(32)

/**
 * Counts an attempt before comparing it, so that of any number of concurrent guesses no more than the limit is compared, across
 * all processes. A right secret is subtracted from the count again. Attempts of one address run one after another, so that callers
 * with a right secret never add up; a secret that was right before is compared without waiting.
 */
export async function limitGuesses<Result>(
  deps: GuessDeps,
  given: Guess,
  refusal: () => ApiError,
  compare: () => Promise<Result | undefined>,
): Promise<Result> {
  // A caller with a network of IPv6 addresses would have as many tries as addresses.
  const guess = { ...given, address: networkOf(given.address) }
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
  await refuseOverLimit(deps, guess)
  const result = await compare()
  if (result !== undefined) return result
  // The secret was right before but is not any more: from now on it counts as a guess.
  memory.known.delete(known!)
  const { limits } = await reserve(deps, guess)
  throw withLimits(refusal(), limits)
}

async function compareCounted<Result>(
  deps: GuessDeps,
  guess: Guess,
  refusal: () => ApiError,
  compare: () => Promise<Result | undefined>,
): Promise<Result> {
  const { window, limits } = await reserve(deps, guess)
  const release = () => releaseAttempts(deps.database, subjectsOf(guess), window)
  const result = await compare().catch(async (error: unknown) => {
    // Refused because others guess: it was not compared.
    if (error instanceof ApiError && error.reason === 'too_many_attempts') await release()
    throw error
  })
  if (result === undefined) throw withLimits(refusal(), limits)
  await release()
  return result
}

/** Counts one attempt. Returns the minute it counts for, and what is left of the limits. */
async function reserve(deps: GuessDeps, guess: Guess): Promise<{ window: number; limits: RateLimit[] }> {
  const window = windowOf(deps)
  const counts = await reserveAttempts(deps.database, subjectsOf(guess), window)
  const limits = limitsOf(deps, guess, counts)
  if (isOver(guess, counts, 1)) throw tooMany(deps, limits)
  return { window, limits }
}

async function refuseOverLimit(deps: GuessDeps, guess: Guess): Promise<void> {
  const counts = await countAttempts(deps.database, subjectsOf(guess), windowOf(deps))
  if (isOver(guess, counts, 0)) throw tooMany(deps, limitsOf(deps, guess, counts))
}

function limitsOf(deps: GuessDeps, guess: Guess, counts: Map<string, number>): RateLimit[] {
  const limit = (name: string, quota: number, subject: string): RateLimit => ({
    name,
    quota,
    windowS: WINDOW_MS / 1000,
    remaining: Math.max(0, quota - (counts.get(subject) ?? 0)),
    resetS: resumesInS(deps),
  })
  return [
    limit('wrong-secrets', guess.perSubject ?? ATTEMPTS.perSubject, subjectKey(guess)),
    ...(guess.alone === true ? [] : [limit('wrong-secrets-of-address', ATTEMPTS.perAddress, guess.address)]),
  ]
}

/** The refusal of a wrong secret also says how many more are allowed. */
function withLimits(refusal: ApiError, rateLimits: RateLimit[]): ApiError {
  const { reason, message, param, cause } = refusal
  return new ApiError(reason, message, { param, cause, rateLimits })
}

/** `own`: how many of the counted attempts belong to this request. */
function isOver(guess: Guess, counts: Map<string, number>, own: number): boolean {
  const before = (subject: string) => (counts.get(subject) ?? 0) - own
  if (before(subjectKey(guess)) >= (guess.perSubject ?? ATTEMPTS.perSubject)) return true
  return guess.alone !== true && before(guess.address) >= ATTEMPTS.perAddress
}

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

function tooMany(deps: GuessDeps, rateLimits: RateLimit[] = []): ApiError {
  return new ApiError('too_many_attempts', undefined, { retryAfterS: resumesInS(deps), rateLimits })
}

function resumesInS(deps: GuessDeps): number {
  return Math.max(1, Math.ceil((windowOf(deps) + WINDOW_MS - deps.clock.now()) / 1000))
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

// An HMAC with a random key of this process, so that the memory holds no secrets.
function knownAs({ subject, address, secret }: Guess): string | undefined {
  if (secret === undefined) return undefined
  return createHmac('sha256', memoryKey)
    .update(JSON.stringify([subject, address, secret]))
    .digest('base64')
}
