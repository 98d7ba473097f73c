import { markNeedsAuth } from '#access/needs-auth.ts'
import { newId } from '#base/ids.ts'
import type { Endpoint } from '#kit/endpoint.ts'
import type { SyncReason } from '#model/sync-reasons.ts'
import type { SyncRules } from '#model/sync-rules.ts'
import { findAppSync } from '#store/apps.ts'
import { markDeliveriesDue } from '#store/delivery-cursors.ts'
import { findProfile, markSynced, setProfileState } from '#store/profiles.ts'
import { findServiceKey } from '#store/service-keys.ts'
import { type EndpointState, listEndpoints, NEVER, postponeEndpoint } from '#store/sync-endpoints.ts'
import {
  finishProfile,
  type ProfileKey,
  scheduleEndpoints,
  takeProfile,
  unscheduleProfile,
} from '#store/sync-schedule.ts'
import type { UpstreamError } from '#upstream/errors.ts'
import { openStream } from './digest.ts'
import { leaseEnd, type SyncNeed, timesOf } from './need.ts'
import { isWanted } from './pace.ts'
import { retryQuarantine } from './retry-quarantine.ts'
import { type Outcome, runEndpoint } from './run-endpoint.ts'
import type { Target } from './target.ts'
import { type EndpointRun, Overtaken } from './write-page.ts'

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
export async function runProfile(need: SyncNeed, key: ProfileKey, turn: Turn): Promise<void> {
  const nowMs = need.clock.now()
  const token = newId(nowMs)
  const scheduled = await takeProfile(need.database, key, token, leaseEnd(need), { alone: turn.alone, nowMs })
  if (scheduled === undefined) return
  const gone = new AbortController()
  const release = need.access?.follow({ profiles: [key], unmerged: true, unpaused: true }, () => gone.abort())
  try {
    const signal = AbortSignal.any([turn.signal, gone.signal])
    const { earliestMs } = await runTurn(need, key, token, { ...turn, signal })
    if (earliestMs === undefined) await unscheduleProfile(need.database, key, token)
    else await finishProfile(need.database, key, token, earliestMs)
  } catch (error) {
    if (!(error instanceof Overtaken)) throw error
    need.log.info('a sync was overtaken and wrote nothing', { profile: key.profileId })
  } finally {
    release?.()
  }
}

async function runTurn(need: SyncNeed, key: ProfileKey, token: string, turn: Turn): Promise<Next> {
  const profile = await findProfile(need.database, key.part, key.profileId)
  if (profile === undefined || profile.state === 'needs_auth' || profile.state === 'paused') return NOT_AT_ALL
  if (profile.state === 'limited' && (profile.stateUntil ?? 0) > need.clock.now())
    return { earliestMs: profile.stateUntil }
  const connector = need.registry.find(profile.service)
  const serviceKey = await findServiceKey(need.database, need.keyring, profile.appId, profile.service)
  // Keys may be set anew any day; nobody tells the profiles.
  if (connector === undefined || serviceKey === undefined) return { earliestMs: need.clock.now() + HOUR_MS }
  const target: Target = { profile, connector, key: serviceKey, held: { fresh: undefined, untilMs: 0 } }
  const rules = await findAppSync(need.database, profile.appId)
  return runDue(need, key, target, rules, token, turn)
}

async function runDue(
  need: SyncNeed,
  key: ProfileKey,
  target: Target,
  rules: SyncRules,
  token: string,
  turn: Turn,
): Promise<Next> {
  const untilMs = need.clock.now() + timesOf(need).turnMs
  const states = await endpointsOf(need, key, target)
  let synced = false
  for (const state of states.filter((each) => isDue(need, each))) {
    const endpoint = target.connector.endpoints[state.endpoint]
    if (!(await mayRun(need, key, target, rules, state, endpoint))) continue
    const aside = { faults: state.faults > 0, quarantine: state.quarantined > 0 }
    const { nativeId } = target.profile
    const stream = openStream(target.connector, state.endpoint, endpoint!, nativeId, key, state.epoch, aside)
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
    if (state.retryQuarantined) run.state = await retryQuarantine(need, run)
    const outcome = await runEndpoint(need, run)
    const stop = await judge(need, target, outcome)
    if (stop !== undefined) return stop
    synced ||= outcome.kind === 'done'
    if (outcome.kind === 'yielded' || need.clock.now() >= untilMs) return AT_ONCE
  }
  if (synced) await markSynced(need.database, target.profile, need.clock.now())
  await becomeActive(need, key, target)
  // Nothing says when it is due next; a newer connector may have something to read.
  return states.length === 0 ? { earliestMs: need.clock.now() + DAY_MS } : AT_ONCE
}

/** Soon counts as due, so that one turn does for all; but not where a failure asked for time. */
function isDue(need: SyncNeed, { nextRunAt, fails }: EndpointState): boolean {
  return nextRunAt <= need.clock.now() + (fails === 0 ? timesOf(need).gatherMs : 0)
}

/** What is stored, and what a newer connector has beyond it. */
async function endpointsOf(need: SyncNeed, key: ProfileKey, { connector }: Target): Promise<EndpointState[]> {
  const states = await listEndpoints(need.database, key)
  const known = new Set(states.map(({ endpoint }) => endpoint))
  const missing = Object.entries(connector.endpoints).filter(([name]) => !known.has(name))
  if (missing.length === 0) return states
  const added = missing.map(([name, { everyMs }]) => ({ name, everyMs }))
  await scheduleEndpoints(need.database, key, added, need.clock.now())
  return listEndpoints(need.database, key)
}

/** Switched off by the app, dropped by the connector, or not granted by the person: no failure, only not now. */
async function mayRun(
  need: SyncNeed,
  key: ProfileKey,
  target: Target,
  rules: SyncRules,
  state: EndpointState,
  endpoint: Endpoint | undefined,
): Promise<boolean> {
  const postpone = (untilMs: number, why?: { reason: SyncReason; error: string }) =>
    postponeEndpoint(need.database, key, state.endpoint, untilMs, why)
  if (endpoint === undefined || !isWanted(endpoint, rules)) {
    await postpone(NEVER)
    return false
  }
  const missing = missingScope(endpoint, target)
  if (missing === undefined) return true
  const error = `The person did not grant ${missing}.`
  await postpone(need.clock.now() + DAY_MS, { reason: 'scope_missing', error })
  return false
}

/** A scope that the endpoint needs and the service said it did not give. Services that say nothing are asked anyway. */
function missingScope({ scope }: Endpoint, { profile }: Target): string | undefined {
  if (profile.scope === undefined || profile.scope === '') return undefined
  const granted = new Set(profile.scope.split(/[\s,]+/))
  return scope.find((each) => !granted.has(each))
}

/** What one endpoint's end means for the others of this person; undefined: nothing. */
async function judge(need: SyncNeed, target: Target, outcome: Outcome): Promise<Next | undefined> {
  if (outcome.kind !== 'failed') return undefined
  const { error } = outcome
  if (error.recovery === 'reauthorize') {
    await markNeedsAuth(need, target.profile, error)
    return NOT_AT_ALL
  }
  if (error.reason === 'rate_limited') return { earliestMs: await becomeLimited(need, target, error) }
  return error.reason === 'budget' ? { earliestMs: need.clock.now() + (error.retryAfterMs ?? 0) } : undefined
}

async function becomeLimited(need: SyncNeed, { profile }: Target, error: UpstreamError): Promise<number> {
  const untilMs = need.clock.now() + (error.retryAfterMs ?? 0)
  await setProfileState(need.database, profile, {
    state: 'limited',
    from: profile.state,
    until: untilMs,
  })
  return untilMs
}

/** Active once every endpoint has been walked to its end, and again when a limit is over. */
async function becomeActive(need: SyncNeed, key: ProfileKey, { profile, connector }: Target): Promise<void> {
  if (profile.state === 'active') return
  const isOver = ({ endpoint, firstDoneAt, lastReason, nextRunAt }: EndpointState) =>
    firstDoneAt !== undefined ||
    lastReason !== undefined ||
    nextRunAt >= NEVER ||
    connector.endpoints[endpoint] === undefined
  if (profile.state === 'limited' || (await listEndpoints(need.database, key)).every(isOver))
    await need.database.transaction(async (tx) => {
      const changed = await setProfileState(tx, profile, { state: 'active', from: profile.state })
      // A limit comes and goes; only what lasts is told to destinations.
      if (changed && profile.state === 'connecting') await markDeliveriesDue(tx, key, need.clock.now())
    })
}
