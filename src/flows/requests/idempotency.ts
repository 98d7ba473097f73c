import { ApiError, invalidInput } from '#model/errors.ts'
import type { Clock } from '#platform/clock.ts'
import { randomSecret } from '#platform/crypto/ids.ts'
import type { Keyring } from '#platform/crypto/sealing.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { Log } from '#platform/telemetry/log.ts'
import {
  claimIdempotencyKey,
  findIdempotencyKey,
  type KeptResponse,
  keepResponse,
  releaseIdempotencyKey,
  renewIdempotencyKey,
} from '#store/apps/idempotency-keys.ts'
import type { Hasher } from '#store/vault.ts'

export interface IdempotencyDeps {
  database: Database
  keyring: Keyring
  hasher: Hasher
  clock: Clock
  log: Log
}

/** Who sends a request: an app, an account of it, or an operator. Keys of different callers are different keys. */
export interface Caller {
  name: string
  appId?: string | undefined
}

export interface KeyedRequest {
  caller: Caller
  /** Method and path of the route, such as `POST /push/:id/backfill`. */
  route: string
  /** The value of the header, unchanged. */
  key: string
  /** Everything that must be the same when the request is repeated. */
  content: readonly string[]
}

/** The right to execute a request. Exactly one of its functions is called when the request is over. */
export interface Execution {
  /** Keeps the response for repetitions of the request, unless it says that a repetition may do better. */
  finish(response: KeptResponse): Promise<void>
  /** Lets the request be sent again at once. */
  abandon(): Promise<void>
}

/** How long a response is kept. */
const RESPONSE_TTL_MS = 86_400_000
/** How long a key stays taken after the process that had it died. */
const LEASE_MS = 60_000
/** Limit: characters of an `Idempotency-Key`; more is answered with 400. */
const MAX_KEY_CHARS = 255
/** Limit: looks at a key that others claim and release at the same moment; then the request is answered with 409. */
const MAX_LOOKS = 5

const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/
const BARE = /^[\w.~+/=:@-]+$/

/** The key that a header has: a string of RFC 9651 (in double quotes), or without quotes if it has no special characters. */
function readKey(header: string): string {
  const quoted = QUOTED.exec(header)?.[1]?.replaceAll(/\\(["\\])/g, '$1')
  const key = quoted ?? (BARE.test(header) ? header : '')
  if (key === '' || key.length > MAX_KEY_CHARS)
    throw invalidInput(
      'bad_parameter',
      'Idempotency-Key',
      `must be one text of 1 to ${MAX_KEY_CHARS} printable ASCII characters in double quotes, such as a UUID.`,
    )
  return key
}

/**
 * Claims a key for one execution of a request, over all processes. Returns the kept response instead if the request was executed
 * before. Refuses a request that runs right now, and another request with the same key.
 */
export async function beginRequest(
  deps: IdempotencyDeps,
  { caller, route, key, content }: KeyedRequest,
): Promise<Execution | KeptResponse> {
  const { database, keyring, hasher, clock } = deps
  const hash = hasher.hash('idempotency_key', JSON.stringify([caller.name, route, readKey(key)]))
  const fingerprint = hasher.hash('idempotency_request', JSON.stringify(content))
  const claim = randomSecret()
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const now = clock.now()
    const times = { leaseUntil: now + LEASE_MS, expiresAt: now + RESPONSE_TTL_MS }
    if (await claimIdempotencyKey(database, { hash, appId: caller.appId, fingerprint, claim, ...times }, now))
      return execution(deps, { hash, claim })
    const state = await findIdempotencyKey(database, keyring, hash, now)
    if (state === undefined) continue
    if (!state.fingerprint.equals(fingerprint)) throw new ApiError('idempotency_conflict', undefined, NAMED)
    if (state.response !== undefined) return state.response
    if (state.leaseUntil > now) throw inProgress(Math.ceil((state.leaseUntil - now) / 1000))
  }
  throw inProgress(1)
}

const NAMED = { param: 'Idempotency-Key' }

function inProgress(leaseS: number): ApiError {
  // Most requests end long before their lease would.
  return new ApiError('idempotency_in_progress', undefined, { ...NAMED, retryAfterS: Math.min(leaseS, 2) })
}

/** A repetition of these may have another result: the service failed, was busy, or asks to wait. */
function mayDoBetter(status: number): boolean {
  return status >= 500 || status === 429
}

function execution(deps: IdempotencyDeps, key: { hash: Buffer; claim: string }): Execution {
  const { database, keyring, clock, log } = deps
  const renewed = () =>
    renewIdempotencyKey(database, key, clock.now() + LEASE_MS).catch((error: unknown) =>
      log.warn('the lease of a request with an idempotency key could not be renewed', { error }),
    )
  const timer = setInterval(() => void renewed(), LEASE_MS / 3).unref()
  const abandon = async () => {
    clearInterval(timer)
    await releaseIdempotencyKey(database, key).catch((error: unknown) =>
      log.warn('an idempotency key could not be released; it is free when its lease ends', { error }),
    )
  }
  return {
    abandon,
    finish: async (response) => {
      if (mayDoBetter(response.status)) return abandon()
      clearInterval(timer)
      const expiresAt = clock.now() + RESPONSE_TTL_MS
      // The request was executed: a failure here must not hide its response from the caller, who then need not repeat it.
      await keepResponse(database, keyring, { ...key, expiresAt }, response).catch((error: unknown) =>
        log.error('the response to a request with an idempotency key could not be kept', { error }),
      )
    },
  }
}
