import type { InnerStep, OperationOutcome, StepDetail } from '#model/operation.ts'
import { randomShard } from '#platform/crypto/ids.ts'
import { redactText } from '#platform/telemetry/redact.ts'
import { newOperationId, type OperationPart, shardOfOperation } from '#store/log/operations.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import { forStrangers } from '#upstream/request/send.ts'
import type { IdentityDeps, LoggedDeps, SignInDeps } from './deps.ts'
import { recordCalls } from './record-calls.ts'
import type { SignInTrace, TracedSignIn } from './traced-sign-in.ts'

/** Limit: characters of a text in the log; the rest is cut off. */
const MAX_LOGGED_TEXT = 300

/** One request of a sign-in: its name in the log, and the id of the HTTP request. */
export interface TracedRequest {
  step: SignInStep
  requestId: string
}

export type SignInStep = 'request' | 'answer' | 'callback' | 'typed' | 'choose' | 'confirm' | 'code_exchange'

/**
 * Runs one request of a sign-in and logs its steps, once, when it ends. Never fails the request: entries are buffered. Its calls are
 * those of a stranger, because nobody has signed in yet.
 */
export async function traceSignIn<Deps extends LoggedDeps, Result>(
  deps: Deps,
  request: TracedRequest,
  run: (signIn: SignInDeps<Deps>) => Promise<Result>,
): Promise<Result> {
  const beganAt = deps.clock.now()
  const steps: InnerStep[] = []
  const state = newState(beganAt)
  const trace = traceOver(deps, state, steps)
  const { upstream, calls } = recordCalls(forStrangers(deps.upstream), steps)
  try {
    return await run({ ...deps, upstream, trace })
  } catch (error) {
    stopWith(trace, error)
    throw error
  } finally {
    calls.close()
    write(deps, state, { ...request, beganAt, steps })
  }
}

interface TraceState {
  id: string
  isNew: boolean
  /** Whether it was counted among the unfinished sign-ins, which are limited. */
  isCounted: boolean
  signIn: TracedSignIn | undefined
  outcome: OperationOutcome
  reason: string | undefined
  expiresAt: number | undefined
  summary: string
  detail: StepDetail
}

function newState(nowMs: number): TraceState {
  return {
    id: newOperationId(randomShard(), nowMs),
    isNew: true,
    isCounted: false,
    signIn: undefined,
    outcome: 'ok',
    reason: undefined,
    expiresAt: undefined,
    summary: '',
    detail: {},
  }
}

function traceOver({ clock }: IdentityDeps, state: TraceState, steps: InnerStep[]): SignInTrace {
  return {
    get id() {
      return state.id
    },
    of: (signIn) => {
      if (signIn.operation !== undefined && shardOfOperation(signIn.operation) !== undefined) {
        state.isNew = state.isNew && signIn.operation === state.id
        state.id = signIn.operation
      }
      state.signIn = { ...state.signIn, ...withoutUndefined(signIn) }
    },
    step: (name, detail = {}) => {
      steps.push({ name, at: clock.now(), ms: 0, outcome: 'ok', detail })
    },
    awaits: (summary, reason, expiresAt) => {
      Object.assign(state, { outcome: 'open', reason, summary, expiresAt, isCounted: true, detail: {} })
    },
    done: (summary) => {
      Object.assign(state, { outcome: 'ok', reason: undefined, summary, expiresAt: undefined, detail: {} })
    },
    stop: (outcome, reason, summary, detail = {}) => {
      if (state.outcome === 'failed' || state.outcome === 'refused') return
      Object.assign(state, { outcome, reason, summary: logged(summary), expiresAt: undefined, detail })
    },
  }
}

function withoutUndefined(signIn: TracedSignIn): TracedSignIn {
  return Object.fromEntries(
    Object.entries(signIn).filter(([, value]) => value !== undefined),
  ) as unknown as TracedSignIn
}

/** Of these the service's own reason says more. */
const GENERAL = ['service_refused', 'service_unreachable', 'server_error']

/** What ends a sign-in: the service's failure with its status, or our own refusal. Its text is redacted and cut. */
export function stopWith(trace: SignInTrace, error: unknown): void {
  const cause = error instanceof Error && error.cause instanceof UpstreamError ? error.cause : error
  const reason = reasonOf(error)
  if (cause instanceof UpstreamError && error instanceof Error) {
    const { status, said } = cause
    const precise = reason === undefined || GENERAL.includes(reason) ? cause.reason : reason
    const detail = {
      error: logged(cause.message),
      ...(status === undefined ? {} : { status }),
      ...(said === undefined ? {} : { said: logged(said) }),
    }
    trace.stop(precise === 'access_denied' ? 'refused' : 'failed', precise, error.message, detail)
    return
  }
  if (reason === undefined || reason === 'server_error' || reason === 'internal')
    trace.stop('failed', 'server_error', 'Something went wrong here; the log of the service has the error.')
  else trace.stop('refused', reason, error instanceof Error ? error.message : reason)
}

/** Of an `ApiError` or an `AuthorizeError`. */
function reasonOf(error: unknown): string | undefined {
  return error instanceof Error && 'reason' in error && typeof error.reason === 'string' ? error.reason : undefined
}

export function logged(text: string): string {
  return redactText(text).slice(0, MAX_LOGGED_TEXT)
}

function write(
  { operations, clock }: LoggedDeps,
  state: TraceState,
  { step: name, requestId, beganAt, steps }: TracedRequest & { beganAt: number; steps: InnerStep[] },
): void {
  const { signIn, id, outcome, reason, expiresAt } = state
  const shard = shardOfOperation(id)
  if (signIn === undefined || shard === undefined || state.summary === '') return
  const endedAt = clock.now()
  const detail = {
    ...state.detail,
    ...(outcome === 'failed' || outcome === 'refused' ? { reason: reason ?? '' } : {}),
    request_id: requestId,
  }
  // Each request succeeded if it led on.
  const own = outcome === 'open' ? 'ok' : outcome
  const part: OperationPart = {
    shard,
    id,
    appId: signIn.appId,
    kind: 'sign_in',
    service: signIn.service?.slice(0, 100),
    accountId: signIn.accountId,
    profileId: signIn.profileId,
    at: beganAt,
    endedAt,
    outcome,
    reason,
    expiresAt,
    requestId,
    summary: state.summary,
    steps: [{ name, at: beganAt, ms: endedAt - beganAt, outcome: own, detail, steps }],
  }
  // Nothing bounds requests that are refused before a sign-in begins.
  if (state.isNew && !state.isCounted) operations.addLimited(part)
  else operations.add(part)
}
