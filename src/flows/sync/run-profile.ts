import { markNeedsAuth } from '#access/needs-auth.ts'
import type { Endpoint } from '#kit/endpoint.ts'
import type { SyncReason } from '#model/sync-reasons.ts'
import type { SyncRules } from '#model/sync-rules.ts'
import { newId } from '#platform/ids.ts'
import { findAppSync } from '#store/apps/apps.ts'
import { findServiceKey } from '#store/apps/service-keys.ts'
import { findProfile, markSynced, setProfileState } from '#store/identity/profiles.ts'
import { markDeliveriesDue } from '#store/push/cursors.ts'
import { type EndpointState, listEndpoints, NEVER, postponeEndpoint } from '#store/sync/endpoints.ts'
import {
  finishProfile,
  type ProfileKey,
  scheduleEndpoints,
  takeProfile,
  unscheduleProfile,
} from '#store/sync/schedule.ts'
import type { UpstreamError } from '#upstream/errors.ts'
import { leaseEnd, type SyncDeps, timesOf } from './deps.ts'
import { openItemStream } from './digest.ts'
import { isWanted } from './pace.ts'
import { retryQuarantine } from './retry-quarantine.ts'
import { type Outcome, runEndpoint } from './run-endpoint.ts'
import type { Target } from './target.ts'
import { type EndpointRun, LeaseLost } from './write-page.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** How a profile's turn is run: when to stop, with what else in the process, and whom to tell where it is. */
export interface Turn {
  signal: AbortSignal
  /** With nothing else in the process, because a worker died of this profile. */
  alone: boolean
  step: (endpoint: string) => void
}

/** When a profile is to be looked at again: not before this time, and not at all when it is undefined. */
interface Next {
  earliestMs: number | undefined
}

const AT_ONCE: Next = { earliestMs: 0 }
const NOT_AT_ALL: Next = { earliestMs: undefined }

/**
 * One turn of one profile: its due endpoints in series, so that a person's limits and the order of changes come for free.
 * Losing or repeating a turn is harmless; two at once are told apart by the fence.
 */
export async function runProfile(deps: SyncDeps, key: ProfileKey, turn: Turn): Promise<void> {
  const nowMs = deps.clock.now()
  const token = newId(nowMs)
  const scheduled = await takeProfile(deps.database, key, token, leaseEnd(deps), { alone: turn.alone, nowMs })
  if (scheduled === undefined) return
  const deleted = new AbortController()
  const release = deps.access?.follow({ profiles: [key], unmerged: true, unpaused: true }, () => deleted.abort())
  try {
    const signal = AbortSignal.any([turn.signal, deleted.signal])
    const { earliestMs } = await runTurn(deps, key, token, { ...turn, signal })
    if (earliestMs === undefined) await unscheduleProfile(deps.database, key, token)
    else await finishProfile(deps.database, key, token, earliestMs)
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error
    deps.log.info('a sync was overtaken and wrote nothing', { profile: key.profileId })
  } finally {
    release?.()
  }
}

async function runTurn(deps: SyncDeps, key: ProfileKey, token: string, turn: Turn): Promise<Next> {
  const profile = await findProfile(deps.database, key.shard, key.profileId)
  if (profile === undefined || profile.state === 'needs_auth' || profile.state === 'paused') return NOT_AT_ALL
  if (profile.state === 'limited' && (profile.stateUntil ?? 0) > deps.clock.now())
    return { earliestMs: profile.stateUntil }
  const connector = deps.registry.find(profile.service)
  const serviceKey = await findServiceKey(deps.database, deps.keyring, profile.appId, profile.service)
  // Keys may be set anew any day; nobody tells the profiles.
  if (connector === undefined || serviceKey === undefined) return { earliestMs: deps.clock.now() + HOUR_MS }
  const target: Target = { profile, connector, key: serviceKey, held: { fresh: undefined, untilMs: 0 } }
  const rules = await findAppSync(deps.database, profile.appId)
  return runDue(deps, key, target, rules, token, turn)
}

async function runDue(
  deps: SyncDeps,
  key: ProfileKey,
  target: Target,
  rules: SyncRules,
  token: string,
  turn: Turn,
): Promise<Next> {
  const untilMs = deps.clock.now() + timesOf(deps).sliceMs
  const states = await endpointsOf(deps, key, target)
  let synced = false
  for (const state of states.filter((each) => isDue(deps, each))) {
    const endpoint = target.connector.endpoints[state.endpoint]
    if (!(await mayRun(deps, key, target, rules, state, endpoint))) continue
    const aside = { faults: state.faults > 0, quarantine: state.quarantined > 0 }
    const { nativeId } = target.profile
    const stream = openItemStream(target.connector, state.endpoint, endpoint!, nativeId, key, state.epoch, aside)
    const run: EndpointRun = {
      ...target,
      stream,
      owner: key,
      name: state.endpoint,
      endpoint: endpoint!,
      state,
      rules,
      token,
      untilMs,
      signal: turn.signal,
      onPage: () => turn.step(state.endpoint),
    }
    turn.step(state.endpoint)
    if (state.retryQuarantined) run.state = await retryQuarantine(deps, run)
    const outcome = await runEndpoint(deps, run)
    const stop = await judge(deps, target, outcome)
    if (stop !== undefined) return stop
    synced ||= outcome.kind === 'done'
    if (outcome.kind === 'yielded' || deps.clock.now() >= untilMs) return AT_ONCE
  }
  if (synced) await markSynced(deps.database, target.profile, deps.clock.now())
  await becomeActive(deps, key, target)
  // Nothing says when it is due next; a newer connector may have something to read.
  return states.length === 0 ? { earliestMs: deps.clock.now() + DAY_MS } : AT_ONCE
}

/** Soon counts as due, so that one turn does for all; but not where a failure asked for time. */
function isDue(deps: SyncDeps, { nextRunAt, fails }: EndpointState): boolean {
  return nextRunAt <= deps.clock.now() + (fails === 0 ? timesOf(deps).coalesceMs : 0)
}

/** What is stored, and what a newer connector has beyond it. */
async function endpointsOf(deps: SyncDeps, key: ProfileKey, { connector }: Target): Promise<EndpointState[]> {
  const states = await listEndpoints(deps.database, key)
  const known = new Set(states.map(({ endpoint }) => endpoint))
  const missing = Object.entries(connector.endpoints).filter(([name]) => !known.has(name))
  if (missing.length === 0) return states
  const added = missing.map(([name, { everyMs }]) => ({ name, everyMs }))
  await scheduleEndpoints(deps.database, key, added, deps.clock.now())
  return listEndpoints(deps.database, key)
}

/** Switched off by the app, dropped by the connector, or not granted by the person: no failure, only not now. */
async function mayRun(
  deps: SyncDeps,
  key: ProfileKey,
  target: Target,
  rules: SyncRules,
  state: EndpointState,
  endpoint: Endpoint | undefined,
): Promise<boolean> {
  const postpone = (untilMs: number, why?: { reason: SyncReason; error: string }) =>
    postponeEndpoint(deps.database, key, state.endpoint, untilMs, why)
  if (endpoint === undefined || !isWanted(endpoint, rules)) {
    await postpone(NEVER)
    return false
  }
  const missing = missingScope(endpoint, target)
  if (missing === undefined) return true
  const error = `The person did not grant ${missing}.`
  await postpone(deps.clock.now() + DAY_MS, { reason: 'scope_missing', error })
  return false
}

/** A scope that the endpoint needs and the service said it did not give. Services that say nothing are asked anyway. */
function missingScope({ scope }: Endpoint, { profile }: Target): string | undefined {
  if (profile.scope === undefined || profile.scope === '') return undefined
  const granted = new Set(profile.scope.split(/[\s,]+/))
  return scope.find((each) => !granted.has(each))
}

/** What one endpoint's end means for the others of this person; undefined: nothing. */
async function judge(deps: SyncDeps, target: Target, outcome: Outcome): Promise<Next | undefined> {
  if (outcome.kind !== 'failed') return undefined
  const { error } = outcome
  if (error.recovery === 'reauthorize') {
    await markNeedsAuth(deps, target.profile, error)
    return NOT_AT_ALL
  }
  if (error.reason === 'rate_limited') return { earliestMs: await becomeLimited(deps, target, error) }
  return error.reason === 'capacity' ? { earliestMs: deps.clock.now() + (error.retryAfterMs ?? 0) } : undefined
}

async function becomeLimited(deps: SyncDeps, { profile }: Target, error: UpstreamError): Promise<number> {
  const untilMs = deps.clock.now() + (error.retryAfterMs ?? 0)
  await setProfileState(deps.database, profile, {
    state: 'limited',
    from: profile.state,
    until: untilMs,
  })
  return untilMs
}

/** Active once every endpoint has been walked to its end, and again when a limit is over. */
async function becomeActive(deps: SyncDeps, key: ProfileKey, { profile, connector }: Target): Promise<void> {
  if (profile.state === 'active') return
  const isOver = ({ endpoint, firstDoneAt, lastReason, nextRunAt }: EndpointState) =>
    firstDoneAt !== undefined ||
    lastReason !== undefined ||
    nextRunAt >= NEVER ||
    connector.endpoints[endpoint] === undefined
  if (profile.state === 'limited' || (await listEndpoints(deps.database, key)).every(isOver))
    await deps.database.transaction(async (tx) => {
      const changed = await setProfileState(tx, profile, { state: 'active', from: profile.state })
      // A limit comes and goes; only what lasts is told to destinations.
      if (changed && profile.state === 'connecting') await markDeliveriesDue(tx, key, deps.clock.now())
    })
}
