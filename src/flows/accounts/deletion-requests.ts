import { createHmac } from 'node:crypto'
import { markNeedsAuth } from '#access/needs-auth.ts'
import type { IdentityDeps } from '#identity/deps.ts'
import { eraseServiceUser } from '#identity/disconnect.ts'
import type { NamedPerson } from '#kit/hooks/deletion.ts'
import type { HookRequestInput } from '#kit/hooks/hook-life-cycle.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { ApiError } from '#model/errors.ts'
import { encodeBase32, shardFor } from '#platform/crypto/ids.ts'
import { findServiceKey } from '#store/apps/service-keys.ts'
import { findAccountById } from '#store/identity/accounts.ts'
import {
  accountsOfServiceUser,
  type DeletionRequest,
  dueDeletionRequests,
  findDeletionRequest,
  finishDeletionRequest,
  insertDeletionRequest,
  leaseDeletionRequest,
  markRequestErased,
  openErasures,
} from '#store/identity/deletion-requests.ts'
import { listProfiles } from '#store/identity/profiles.ts'
import { UpstreamError } from '#upstream/request/errors.ts'

export interface DeletionCall extends HookRequestInput {
  service: string
  appId: string
}

/** Runs a comparison of secrets whose failures count against the caller; refuses the call when it fails. */
type Guarded = <Result>(compare: () => Promise<Result | undefined>) => Promise<Result>

/** Limit: age of a signed request about a person; an older one may be repeated by somebody, and is refused. */
const MAX_REQUEST_AGE_MS = 86_400_000
/** Clocks differ a little. */
const AHEAD_MS = 5 * 60_000
/** Limit: characters of a person's id in such a request; a longer one is refused. */
const MAX_PERSON_ID = 500
/** Limit: how long a request waits for destinations to delete their rows; then it counts as finished. */
const MAX_DESTINATION_WAIT_MS = 7 * 86_400_000
const WAIT_MS = 5000
const BATCH = 10

export interface Confirmation {
  url: string
  confirmation_code: string
}

/**
 * The service requests the deletion of everything that the app has of a person. It is stored and done by a worker, so that a crash
 * does not lose it. People who are not known get a confirmation as well. A repeated request gets the same code.
 */
export async function requestDeletion(deps: IdentityDeps, call: DeletionCall, guarded: Guarded): Promise<Confirmation> {
  const { service, person, at } = await readRequest(deps, call, guarded)
  const { appId } = call
  // Nobody can guess it, and it is the same whenever the same request arrives.
  const proof = deps.hasher.hash('deletion', JSON.stringify([appId, service, person, at]))
  const code = encodeBase32(proof.subarray(0, 20))
  await insertDeletionRequest(deps.database, keyOf(deps, code), { appId, service, nativeId: person }, deps.clock.now())
  return { url: `${deps.config.baseUrl}/deletions/${code}`, confirmation_code: code }
}

/** The service tells that a person removed the app: its grant has ended. What is stored stays until it is to be deleted. */
export async function endAccess(deps: IdentityDeps, call: DeletionCall, guarded: Guarded): Promise<number> {
  const { service, person, at } = await readRequest(deps, call, guarded)
  const user = { appId: call.appId, service, nativeId: person }
  let ended = 0
  for (const profile of await profilesOf(deps, user)) {
    // A repeated request does not end a newer grant.
    if (profile.connectedAt >= at + 1000) continue
    const why = 'The person removed the app at the service.'
    await markNeedsAuth(deps, profile, new UpstreamError('reauthorize', why, { reason: 'grant_refused' }))
    ended += 1
  }
  return ended
}

async function profilesOf(
  { database }: IdentityDeps,
  user: { appId: string; service: string; nativeId: string },
): Promise<Profile[]> {
  const found: Profile[] = []
  for (const accountId of await accountsOfServiceUser(database, user)) {
    const account = await findAccountById(database, accountId)
    if (account === undefined) continue
    const profiles = await listProfiles(database, account)
    found.push(...profiles.filter((each) => each.service === user.service && each.nativeId === user.nativeId))
  }
  return found
}

async function readRequest(
  deps: IdentityDeps,
  { service, appId, ...request }: DeletionCall,
  guarded: Guarded,
): Promise<NamedPerson & { service: string }> {
  const connector = deps.registry.find(service)
  const key = connector && (await findServiceKey(deps.database, deps.keyring, appId, connector.service))
  if (connector?.deletion === undefined || key === undefined) throw new ApiError('not_found')
  const { deletion } = connector
  // The HMAC of an empty secret proves nothing.
  if (key.secret === '') throw new ApiError('hook_refused', 'The key of the app has no secret.')
  const sign = (text: string) => createHmac('sha256', key.secret).update(text).digest()
  const named = await guarded(async () => {
    const read = deletion.read(request, sign)
    const ageMs = deps.clock.now() - (read?.at ?? Number.NaN)
    return read !== undefined && ageMs <= MAX_REQUEST_AGE_MS && ageMs >= -AHEAD_MS ? read : undefined
  })
  if (named.person === '' || named.person.length > MAX_PERSON_ID || named.person.includes('\0'))
    throw new ApiError('bad_body', 'The request names no person.')
  return { ...named, service: connector.service }
}

function keyOf({ hasher }: Pick<IdentityDeps, 'hasher'>, code: string): { shard: number; hash: Buffer } {
  return { shard: shardFor(code), hash: hasher.hash('deletion_code', code) }
}

/** For the worker's loop: continues open requests. Returns how many progressed. */
export async function continueDeletionRequests(deps: IdentityDeps): Promise<number> {
  const nowMs = deps.clock.now()
  let progressed = 0
  for (const key of await dueDeletionRequests(deps.database, nowMs, BATCH)) {
    const lease = { leaseUntilMs: deps.clock.now() + WAIT_MS, nowMs: deps.clock.now() }
    const request = await leaseDeletionRequest(deps.database, key, lease)
    if (request !== undefined && (await continueRequest(deps, request))) progressed += 1
  }
  return progressed
}

/** Whether no request can continue until then, as far as is written now. */
export async function isNoDeletionRequestDue(
  { database }: Pick<IdentityDeps, 'database'>,
  untilMs: number,
): Promise<boolean> {
  return (await dueDeletionRequests(database, untilMs, 1)).length === 0
}

async function continueRequest(deps: IdentityDeps, request: DeletionRequest): Promise<boolean> {
  const { appId, service, nativeId, erasedAt } = request
  if (erasedAt === undefined && nativeId !== undefined) {
    const user = { appId, service, nativeId }
    for (;;) {
      const accountIds = await accountsOfServiceUser(deps.database, user)
      if (accountIds.length === 0) break
      let erased = 0
      for (const accountId of accountIds) erased += await eraseServiceUser(deps, user, accountId, request)
      // The accounts are being merged; the next attempt finds the profiles where they are then.
      if (erased === 0) return false
    }
    await markRequestErased(deps.database, request, deps.clock.now())
    return true
  }
  const waiting = await openErasures(deps.database, request.profileIds)
  const isLate = deps.clock.now() - (erasedAt ?? 0) > MAX_DESTINATION_WAIT_MS
  if (waiting > 0 && !isLate) return false
  if (waiting > 0)
    deps.log.warn('destinations did not confirm an erasure that a service requested', { service, waiting })
  await finishDeletionRequest(deps.database, request, deps.clock.now())
  return true
}

export interface DeletionStatus {
  state: 'waiting' | 'waiting_for_destinations' | 'deleted'
  service: string
  requestedAt: number
  finishedAt: number | undefined
  found: boolean
}

/** Undefined for a code that was never issued, or whose record was purged. */
export async function deletionStatus(
  deps: Pick<IdentityDeps, 'database' | 'hasher' | 'registry'>,
  code: string,
): Promise<DeletionStatus | undefined> {
  const request = await findDeletionRequest(deps.database, {
    shard: shardFor(code),
    hash: deps.hasher.hash('deletion_code', code),
  })
  if (request === undefined) return undefined
  const { erasedAt, finishedAt, requestedAt, profiles } = request
  return {
    state: finishedAt !== undefined ? 'deleted' : erasedAt === undefined ? 'waiting' : 'waiting_for_destinations',
    service: deps.registry.find(request.service)?.title ?? request.service,
    requestedAt,
    finishedAt,
    found: profiles > 0,
  }
}
