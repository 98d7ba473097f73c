import { acquire } from '#access/acquire.ts'
import { learnLimits } from '#access/learn-limits.ts'
import { localIdOf } from '#kit/auth/ask.ts'
import type { Self } from '#kit/auth/self.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { personOf } from '#kit/connector/source.ts'
import { identityRuleOf } from '#kit/connector/who-vouches.ts'
import type { Person, Profile } from '#model/accounts/profile.ts'
import { updatePerson } from '#store/identity/profiles.ts'
import type { ProfileKey } from '#store/keys/profile-key.ts'
import { markDeliveriesDue } from '#store/push/cursors.ts'
import { makeRequestsAgain } from '#store/sync/endpoint-requests.ts'
import { holdProfile, markSelfRead } from '#store/sync/schedule.ts'
import { parseLossless } from '#upstream/body/lossless-json.ts'
import { readSelf } from '#upstream/call/read-self.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import { LeaseLost } from '../commit/commit-page.ts'
import { leaseEnd, type SyncDeps } from '../deps.ts'
import { limitedCall, loadCredential } from '../fetch/fetch-page.ts'
import { type PageCall, reserveRead } from '../fetch/paid-page.ts'
import { SELF } from '../schedule/spending-rules.ts'
import type { ProfileRun } from '../walk/endpoint-run.ts'
import { usesHandle } from './self-pace.ts'

/** Limit: longest wait for the call that reads a person's record; for a longer one it is read later. */
const MAX_WAIT_MS = 2000

/** Undefined: read, or to be tried another time. Otherwise the person has to sign in again. */
type Refusal = UpstreamError | undefined

/**
 * Reads the service's record of the person again and stores what changed, as a sign-in does. A new handle makes the
 * endpoints that use it due. Never stores the record of another person.
 */
export async function refreshSelf(
  deps: SyncDeps,
  run: ProfileRun,
  lease: { key: ProfileKey; token: string },
  signal: AbortSignal,
): Promise<Refusal> {
  try {
    await acquire(deps, await limitedCall(deps, run), { purpose: 'sync', maxWaitMs: MAX_WAIT_MS, until: { signal } })
    // Before the call: a record that ends the process is not requested in every run.
    await deps.database.transaction((tx) => markSelfRead(tx, lease.key, lease.token, deps.clock.now()))
    const paid = await reserveSelf(deps, run)
    const { self, raw } = await readWithRenewal(deps, run).catch(async (error: unknown) => {
      await paid?.settleFailure(error)
      throw error
    })
    await paid?.settle({ unchanged: false, body: raw })
    requireSamePerson(run, self, raw)
    await storePerson(deps, run, lease, personOf(run.connector, self), raw)
    return undefined
  } catch (error) {
    if (signal.aborted) return undefined
    if (!(error instanceof UpstreamError)) throw error
    return settleFailure(deps, run, error)
  }
}

/** Sets aside what the record costs, as for a page of an endpoint. */
async function reserveSelf(deps: SyncDeps, { profile, connector }: ProfileRun): Promise<PageCall | undefined> {
  const { price, path, query } = connector.self
  if (price === undefined) return undefined
  const read = { profile, connector, name: SELF, price, recordsIn: () => 1 }
  return reserveRead(deps, read, { method: 'GET', path, query })
}

/** Renews the credential once: the token may just have expired. */
async function readWithRenewal(deps: SyncDeps, run: ProfileRun): Promise<{ self: Self; raw: string }> {
  const { connector, key } = run
  const read = async (refusedVersion?: number) => {
    const { credential, version } = await loadCredential(deps, run, refusedVersion)
    return { version, call: () => readSelf({ upstream: deps.upstream, connector, key, credential }) }
  }
  const first = await read()
  try {
    return await first.call()
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.recovery !== 'reauthorize') throw error
    return (await read(first.version)).call()
  }
}

/** Another person than at the sign-in is never stored: they have to sign in themselves. */
function requireSamePerson({ profile, connector }: ProfileRun, self: Self, raw: string): void {
  // There is no person who could change.
  if (identityRuleOf(connector).validAt === 'account') return
  // The last is of an older release, for a connector that did not say that ids are of one server; it is the same server.
  const ids = [self.id, otherIdOf(connector, raw), localIdOf(connector, self.id)]
  if (ids.includes(profile.nativeId)) return
  throw new UpstreamError('reauthorize', 'The service names another person than the one who signed in.', {
    reason: 'person_changed',
  })
}

function otherIdOf({ self }: Connector, raw: string): string | undefined {
  return self.alsoKnownAs?.(parseLossless(raw))
}

async function storePerson(
  deps: SyncDeps,
  run: ProfileRun,
  { key, token }: { key: ProfileKey; token: string },
  person: Person,
  data: string,
): Promise<void> {
  const { profile, connector } = run
  if (data === profile.data) return
  const nowMs = deps.clock.now()
  const isRenamed = person.handle !== profile.person.handle
  const named = Object.entries(connector.endpoints).filter(([, endpoint]) => usesHandle(endpoint))
  await deps.database.transaction(async (tx) => {
    if ((await holdProfile(tx, key, token, leaseEnd(deps), 0)) === undefined)
      throw new LeaseLost('another run has the lease of this profile')
    await updatePerson(tx, profile, person, data, nowMs)
    await markDeliveriesDue(tx, key, nowMs)
    if (isRenamed && named.length > 0) {
      const names = named.map(([name]) => name)
      await makeRequestsAgain(tx, key, names, nowMs)
    }
  })
  run.profile = { ...profile, person, data, updatedAt: nowMs }
  deps.log.info('the service’s record of a person has changed', {
    service: connector.service,
    profile: profile.id,
    fields: changedFields(profile, person),
  })
}

/** Names, not values: those are personal data. */
function changedFields({ person: before }: Profile, after: Person): string[] {
  const names = ['name', 'handle', 'email', 'url', 'photo', 'description', 'location'] as const
  return names.filter((name) => before[name] !== after[name])
}

const NAMES_ANOTHER_PERSON = new Set(['person_changed', 'subject_mismatch', 'home_mismatch'])

async function settleFailure(deps: SyncDeps, run: ProfileRun, error: UpstreamError): Promise<Refusal> {
  const { profile, connector } = run
  // A 403 may be a permission that was taken back, which the endpoints do not need.
  const isRefused = error.recovery === 'reauthorize' && error.status !== 403
  if (isRefused || NAMES_ANOTHER_PERSON.has(error.reason)) return error
  if (error.reason === 'rate_limited') {
    const waitS = error.retryAfterMs === undefined ? undefined : Math.ceil(error.retryAfterMs / 1000)
    const headers = waitS === undefined ? {} : { 'retry-after': String(waitS) }
    await learnLimits(deps, await limitedCall(deps, run), { status: 429, headers, recovery: undefined })
  }
  deps.log.warn('the service’s record of a person could not be read; it is tried again later', {
    service: connector.service,
    profile: profile.id,
    reason: error.reason,
  })
  return undefined
}
