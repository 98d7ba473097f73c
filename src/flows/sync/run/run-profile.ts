import { ensureSubscriptions } from '#access/hook-subscriptions.ts'
import { markNeedsAuth } from '#access/needs-auth.ts'
import { serviceAccessOf } from '#access/service-access.ts'
import { missingGrant } from '#kit/auth/granted.ts'
import { serviceReaderVersion } from '#kit/connector/reader-version.ts'
import { depthOf, needsItemsOf } from '#kit/endpoints/child-endpoints.ts'
import type { Endpoint } from '#kit/endpoints/endpoint.ts'
import type { SyncReason } from '#model/sync/sync-reasons.ts'
import type { SyncRules } from '#model/sync/sync-rules.ts'
import { newId } from '#platform/crypto/ids.ts'
import { setProfileState } from '#store/identity/profiles.ts'
import type { ProfileKey } from '#store/keys/profile-key.ts'
import { markDeliveriesDue } from '#store/push/cursors.ts'
import { type EndpointState, listEndpoints, NEVER, ON_REQUEST, postponeEndpoint } from '#store/sync/endpoints.ts'
import { finishRun, type QuietCheck, saveQuietChecks } from '#store/sync/finish-run.ts'
import { findRunContext } from '#store/sync/run-context.ts'
import { scheduleEndpoints, type Taken, takeProfile, unscheduleProfile } from '#store/sync/schedule.ts'
import type { UpstreamError } from '#upstream/request/errors.ts'
import { LeaseLost } from '../commit/commit-page.ts'
import { retryQuarantine } from '../commit/retry-quarantine.ts'
import { chanceOf, leaseEnd, type SyncDeps, timesOf } from '../deps.ts'
import { openItemStream } from '../diff/item-stream.ts'
import { applyHookRecords } from '../hooks/apply-records.ts'
import { isEnabled, isPaidFor } from '../schedule/interval.ts'
import { SELF } from '../schedule/spending-rules.ts'
import type { EndpointRun, ProfileRun } from '../walk/endpoint-run.ts'
import type { Outcome } from '../walk/outcome.ts'
import { countersOf, logRun, noteFailure, openRunLog, type RunLog } from '../walk/run-log.ts'
import { completeFirstSync } from './first-sync.ts'
import { keepProfile } from './keep-profile.ts'
import { refreshSelf } from './refresh-self.ts'
import type { RunEnd } from './run-counts.ts'
import { runEndpoint } from './run-endpoint.ts'
import { isHandleSuspect, nextSelfRun, selfDueAt } from './self-pace.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export interface RunOptions {
  /** Ends the run. */
  signal: AbortSignal
  /** Nothing else runs in this process, because a worker died while it synced this profile. */
  alone: boolean
  /** Called with the endpoint that is read next, so that the death of a worker can be attributed to it. */
  step: (endpoint: string) => void
  /** The fencing token of the run; absent: a new one. */
  token?: string
}

/** The earliest time of the profile's next run; undefined: it is not scheduled any more. */
interface NextRun {
  earliestMs: number | undefined
  /** The person's record costs money, and the app has not switched it on. */
  isSelfOff?: boolean
  /** When this run was complete, if at least one endpoint was read to its end. */
  syncedAt?: number | undefined
}

const AT_ONCE: NextRun = { earliestMs: 0 }
const UNSCHEDULED: NextRun = { earliestMs: undefined }

/**
 * One run of one profile: its due endpoints in series, so that the rate limits of a person hold and changes keep their
 * order. Losing or repeating a run does no harm; of two at the same time, only the one with the newest fencing token
 * commits.
 */
export async function runProfile(deps: SyncDeps, key: ProfileKey, options: RunOptions): Promise<RunEnd> {
  const nowMs = deps.clock.now()
  const token = options.token ?? newId(nowMs)
  const scheduled = await takeProfile(deps.database, key, token, leaseEnd(deps), { alone: options.alone, nowMs })
  if (scheduled === undefined) return 'not_scheduled'
  const runLog = openRunLog(nowMs)
  const accessEnded = new AbortController()
  const lease = keepProfile(deps, key, token)
  const release = deps.access?.follow({ profiles: [key], unmerged: true, unpaused: true }, () => accessEnded.abort())
  try {
    const signal = AbortSignal.any([options.signal, accessEnded.signal, lease.lost])
    const quiet: QuietCheck[] = []
    const { earliestMs, isSelfOff, syncedAt } = await runLeased(deps, scheduled, token, quiet, runLog, {
      ...options,
      signal,
    })
    if (earliestMs === undefined) {
      await saveQuietChecks(deps.database, key, token, quiet)
      await unscheduleProfile(deps.database, key, token)
      logRun(deps, runLog, scheduled)
      return 'finished'
    }
    const selfDueMs = isSelfOff === true ? ON_REQUEST : nextSelfRunOf(deps, scheduled)
    const { requestedAt } = scheduled
    const isHeld = await finishRun(deps.database, key, token, { earliestMs, selfDueMs, syncedAt, quiet, requestedAt })
    if (isHeld) logRun(deps, runLog, scheduled)
    return isHeld ? 'finished' : 'lease_lost'
  } catch (error) {
    if (!(error instanceof LeaseLost)) {
      logRun(deps, runLog, scheduled, error)
      throw error
    }
    deps.log.info('a sync lost its lease and wrote nothing', { profile: key.profileId })
    return 'lease_lost'
  } finally {
    lease.stop()
    release?.()
  }
}

function nextSelfRunOf({ clock, registry }: SyncDeps, { profileId, selfReadAt, service }: Taken): number {
  const connector = registry.find(service)
  if (connector === undefined || connector.auth.kind === 'file') return ON_REQUEST
  return nextSelfRun(profileId, selfReadAt, connector.self.everyMs, clock.now())
}

async function runLeased(
  deps: SyncDeps,
  scheduled: Taken,
  token: string,
  quiet: QuietCheck[],
  runLog: RunLog,
  options: RunOptions,
): Promise<NextRun> {
  const { shard, profileId, readerVersion } = scheduled
  const key = { shard, profileId }
  const context = await findRunContext(deps.database, deps.keyring, key)
  if (context === undefined) return UNSCHEDULED
  const { profile, rules } = context
  runLog.profile = profile
  if (profile.state === 'needs_auth' || profile.state === 'paused') return UNSCHEDULED
  if (profile.state === 'limited' && (profile.stateUntil ?? 0) > deps.clock.now())
    return { earliestMs: profile.stateUntil }
  const described = deps.registry.find(profile.service)
  const access = described && (await serviceAccessOf(deps, profile, described, { stored: context.serviceKey }))
  // Setting keys does not wake the profiles, so they check again by themselves.
  if (access === undefined) return { earliestMs: deps.clock.now() + HOUR_MS }
  const { connector, key: serviceKey } = access
  const cachedCredential = { fresh: undefined, expiresAt: 0 }
  const isBeingReread = readerVersion < serviceReaderVersion(connector.endpoints)
  const profileRun: ProfileRun = {
    profile,
    connector,
    key: serviceKey,
    cachedCredential,
    usage: { loaded: undefined },
    isBeingReread,
    quiet,
    runLog,
    spread: chanceOf(deps)(),
  }
  await ensureSubscriptions(deps, connector, profile)
  const readSelfAgain = () => readPerson(deps, profileRun, scheduled, token, options.signal)
  const isSelfOff = !isPaidFor(connector.service, SELF, connector.self, rules)
  const selfDueMs = selfDueAt(profileId, scheduled.selfReadAt, connector.self.everyMs)
  const isSelfDue = connector.auth.kind !== 'file' && !isSelfOff && deps.clock.now() >= selfDueMs
  if (isSelfDue && (await readSelfAgain())) return UNSCHEDULED
  const next = await runDueEndpoints(deps, scheduled, profileRun, rules, token, options, async (endpoint, outcome) => {
    const status = outcome.kind === 'failed' ? outcome.error.status : undefined
    if (isSelfOff || !isHandleSuspect(endpoint, status, scheduled.selfReadAt, deps.clock.now())) return false
    return readSelfAgain()
  })
  return { ...next, isSelfOff }
}

/** Reads the service's record of the person again. True when the person has to sign in again. */
async function readPerson(
  deps: SyncDeps,
  run: ProfileRun,
  scheduled: Taken,
  token: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { shard, profileId } = scheduled
  const refusal = await refreshSelf(deps, run, { key: { shard, profileId }, token }, signal)
  scheduled.selfReadAt = deps.clock.now()
  if (refusal !== undefined) {
    noteFailure(countersOf(run, SELF, scheduled.selfReadAt), refusal)
    await markNeedsAuth(deps, run.profile, refusal)
  }
  return refusal !== undefined
}

async function runDueEndpoints(
  deps: SyncDeps,
  { shard, profileId, isFirstCompleted }: Taken,
  profileRun: ProfileRun,
  rules: SyncRules,
  token: string,
  { signal, step }: RunOptions,
  /** True when the run has to end. */
  afterEndpoint: (endpoint: Endpoint, outcome: Outcome) => Promise<boolean>,
): Promise<NextRun> {
  const key = { shard, profileId }
  const untilMs = deps.clock.now() + timesOf(deps).sliceMs
  const parts = { ...profileRun, profileKey: key, rules, token, untilMs, signal, step }
  const loaded = await applyHookRecords(deps, parts, await loadEndpoints(deps, key, profileRun))
  const states = parentsFirst(profileRun, loaded)
  let isSynced = false
  const ungranted = new Set(states.filter(isUngranted).map((state) => state.endpoint))
  for (const state of states.filter((each) => isDue(deps, each))) {
    const { profile, connector } = profileRun
    const endpoint = connector.endpoints[state.endpoint]
    if (!(await mayRun(deps, key, { profileRun, rules, state, endpoint, ungranted }))) continue
    const stream = openItemStream(connector, state.endpoint, endpoint!, profile.nativeId, key, state.epoch, {
      hasFaults: state.faults > 0,
      hasQuarantined: state.quarantined > 0,
      isBeingReread: profileRun.isBeingReread,
    })
    const run: EndpointRun = {
      ...profileRun,
      stream,
      profileKey: key,
      name: state.endpoint,
      endpoint: endpoint!,
      state,
      rules,
      token,
      untilMs,
      signal,
      onPage: () => step(state.endpoint),
    }
    step(state.endpoint)
    if (state.retryQuarantined) run.state = await retryQuarantine(deps, run)
    const counters = countersOf(run, state.endpoint, deps.clock.now())
    counters.isFirst = state.firstDoneAt === undefined
    const outcome = await runEndpoint(deps, run)
    counters.endedAt = deps.clock.now()
    for (const count of stream.faultsByField.values()) counters.faults += count
    if (outcome.kind === 'failed') noteFailure(counters, outcome.error)
    if (outcome.kind === 'failed' && outcome.error.reason === 'scope_missing') ungranted.add(state.endpoint)
    else ungranted.delete(state.endpoint)
    const stop = await stopAfter(deps, profileRun, outcome)
    if (stop !== undefined) return stop
    if (await afterEndpoint(endpoint!, outcome)) return UNSCHEDULED
    isSynced ||= outcome.kind === 'done'
    if (outcome.kind === 'yielded' || deps.clock.now() >= untilMs) return AT_ONCE
  }
  await becomeActive(deps, key, profileRun)
  if (!isFirstCompleted) await completeFirstSync(deps, key, token, profileRun)
  // Without endpoints nothing says when the profile is due next; a newer connector may add some.
  if (states.length === 0) return { earliestMs: deps.clock.now() + DAY_MS }
  return { ...AT_ONCE, syncedAt: isSynced ? deps.clock.now() : undefined }
}

/** The parents of child endpoints are read before them; the others stay in the order in which they are due. */
function parentsFirst({ connector }: ProfileRun, states: EndpointState[]): EndpointState[] {
  const depth = ({ endpoint }: EndpointState) => depthOf(connector.endpoints, endpoint)
  return states.toSorted((a, b) => depth(a) - depth(b))
}

/** Endpoints that are due soon run too, so that one run serves all; but not where a failure asked for a wait. */
function isDue(deps: SyncDeps, { nextRunAt, fails }: EndpointState): boolean {
  return nextRunAt <= deps.clock.now() + (fails === 0 ? timesOf(deps).coalesceMs : 0)
}

/** The stored endpoints, after adding those that a newer connector has. */
async function loadEndpoints(deps: SyncDeps, key: ProfileKey, { connector }: ProfileRun): Promise<EndpointState[]> {
  const states = await listEndpoints(deps.database, key)
  const known = new Set(states.map(({ endpoint }) => endpoint))
  const missing = Object.entries(connector.endpoints).filter(([name]) => !known.has(name))
  if (missing.length === 0) return states
  const added = missing.map(([name, { everyMs }]) => ({ name, everyMs }))
  await scheduleEndpoints(deps.database, key, added, deps.clock.now())
  return listEndpoints(deps.database, key)
}

const isUngranted = ({ lastReason }: EndpointState) => lastReason === 'scope_missing'

/**
 * False, and postponed, where the app switched it off, the connector dropped it or the person did not grant its scope, or that of
 * the endpoint with its parents.
 */
async function mayRun(
  deps: SyncDeps,
  key: ProfileKey,
  {
    profileRun,
    rules,
    state,
    endpoint,
    ungranted,
  }: {
    profileRun: ProfileRun
    rules: SyncRules
    state: EndpointState
    endpoint: Endpoint | undefined
    /** Endpoints that need what the person did not give. */
    ungranted: Set<string>
  },
): Promise<boolean> {
  const postpone = (untilMs: number, why?: { reason: SyncReason; error: string }) =>
    postponeEndpoint(deps.database, key, state.endpoint, untilMs, why)
  if (endpoint === undefined || !isEnabled(endpoint, rules)) {
    await postpone(NEVER)
    return false
  }
  if (!isPaidFor(profileRun.connector.service, state.endpoint, endpoint, rules)) {
    await postpone(NEVER, { reason: 'priced', error: 'The endpoint costs money, and the app has not switched it on.' })
    return false
  }
  const missing = missingGrant(profileRun.connector.auth, endpoint.scope, profileRun.profile)
  const parents = needsItemsOf(endpoint)
  if (missing === undefined && (parents === undefined || !ungranted.has(parents))) return true
  ungranted.add(state.endpoint)
  const error = `The person did not grant ${missing ?? `what ${parents} needs`}.`
  await postpone(deps.clock.now() + DAY_MS, { reason: 'scope_missing', error })
  return false
}

/** When the failure of one endpoint concerns the whole profile: ends the run and says when the next one is. */
async function stopAfter(deps: SyncDeps, { profile }: ProfileRun, outcome: Outcome): Promise<NextRun | undefined> {
  if (outcome.kind !== 'failed') return undefined
  const { error } = outcome
  if (error.recovery === 'reauthorize') {
    await markNeedsAuth(deps, profile, error)
    return UNSCHEDULED
  }
  if (error.reason === 'rate_limited') return { earliestMs: await becomeLimited(deps, profile, error) }
  return error.reason === 'capacity' ? { earliestMs: deps.clock.now() + (error.retryAfterMs ?? 0) } : undefined
}

async function becomeLimited(
  deps: SyncDeps,
  profile: ProfileRun['profile'],
  { retryAfterMs = 0 }: UpstreamError,
): Promise<number> {
  const untilMs = deps.clock.now() + retryAfterMs
  await setProfileState(deps.database, profile, { state: 'limited', from: profile.state, until: untilMs })
  return untilMs
}

/** Active once every endpoint has been walked to its end, and again when a rate limit is over. */
async function becomeActive(deps: SyncDeps, key: ProfileKey, { profile, connector }: ProfileRun): Promise<void> {
  if (profile.state === 'active') return
  const isOver = ({ endpoint, firstDoneAt, lastReason, nextRunAt }: EndpointState) =>
    firstDoneAt !== undefined ||
    lastReason !== undefined ||
    nextRunAt >= NEVER ||
    connector.endpoints[endpoint] === undefined
  if (profile.state === 'limited' || (await listEndpoints(deps.database, key)).every(isOver))
    await deps.database.transaction(async (tx) => {
      const changed = await setProfileState(tx, profile, { state: 'active', from: profile.state })
      // Destinations do not see rate limits, which pass; they see that the first sync is over.
      if (changed && profile.state === 'connecting') await markDeliveriesDue(tx, key, deps.clock.now())
    })
}
