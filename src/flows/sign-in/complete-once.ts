import { setTimeout as sleep } from 'node:timers/promises'
import type { IdentityDeps, SignInDeps } from '#identity/deps.ts'
import { uncountSignIn } from '#identity/open-sign-ins.ts'
import type { CompletedSignIn, SignInRequest } from '#identity/pending-value.ts'
import { ticketShard } from '#model/accounts/access-token.ts'
import { ApiError } from '#model/errors.ts'
import { lockConsent } from '#store/identity/consents.ts'
import { claimPending } from '#store/identity/pending.ts'
import { completeSignIn, type FinishedSignIn, type ReturnedSignIn } from './callback.ts'
import type { CompletedOutcome, RepeatedOutcome, SignInOutcome } from './outcome.ts'
import { returnTo } from './return-to.ts'
import { toAuthorizeError } from './sign-in-failure.ts'

/** A page of ours that a person submits, and that keeps what its sign-in came to. */
export interface SubmittedPage extends ReturnedSignIn {
  /** Hash of what only one submit may take. */
  claim: Buffer
  keep(completed: CompletedSignIn): Promise<unknown>
  end(): Promise<unknown>
  /** What another submit kept; undefined while it completes the sign-in. */
  completed(): Promise<CompletedSignIn | undefined>
}

type OnceOutcome = CompletedOutcome | RepeatedOutcome | Extract<SignInOutcome, { kind: 'failed' }>

/**
 * Completes the sign-in once, and keeps the result: a second submit of the same page, by a double click, in another tab or after
 * a reload, gets the same one.
 */
export async function completeOnce(
  deps: SignInDeps,
  page: SubmittedPage,
  finished: FinishedSignIn,
  beganAt: number,
): Promise<OnceOutcome> {
  const { app, pending, request, counted, to } = page
  if (!(await claimPending(deps.database, deps.keyring, page.claim, { ...pending, value: '{}' })))
    return repeatOutcome(deps, await awaitCompleted(page))
  try {
    const outcome = await completeSignIn(deps, { app, pending, request, counted, to }, finished, beganAt)
    await page.keep(completedBy(request, outcome))
    return outcome
  } catch (error) {
    await page.end()
    await uncountSignIn(deps, app.id, counted)
    return { kind: 'failed', to, error: toAuthorizeError(deps, error, pending.service) }
  }
}

function completedBy(request: SignInRequest, outcome: CompletedOutcome): CompletedSignIn {
  if (outcome.kind === 'coded') return { kind: 'coded', request, code: outcome.code }
  if (outcome.kind === 'confirming') return { kind: 'confirming', request, ticket: outcome.ticket }
  return { kind: 'reconnected', request, account: outcome.account }
}

const POLL_MS = 100
/** Limit: time that a repeated submit waits for the first one to finish; then the sign-in counts as ended. */
const MAX_COMPLETE_MS = 5000

async function awaitCompleted(page: SubmittedPage): Promise<CompletedSignIn> {
  for (let waited = 0; waited < MAX_COMPLETE_MS; waited += POLL_MS) {
    const completed = await page.completed()
    if (completed !== undefined) return completed
    await sleep(POLL_MS)
  }
  throw new ApiError('session_expired')
}

/** The same code again while nobody exchanged it; afterwards there is nothing more to do. */
export async function repeatOutcome(deps: IdentityDeps, completed: CompletedSignIn): Promise<RepeatedOutcome> {
  const to = returnTo(completed.request)
  if (completed.kind === 'confirming') return { kind: 'confirming', ticket: completed.ticket }
  if (completed.kind === 'reconnected') return { kind: 'reconnected', to, account: completed.account }
  const { code } = completed
  const shard = ticketShard('trc', code) ?? 0
  const consent = await lockConsent(deps.database, deps.keyring, shard, deps.hasher.hash('code', code))
  if (consent === undefined) throw new ApiError('session_expired')
  return consent.usedAt === undefined ? { kind: 'coded', to, code } : { kind: 'exchanged', to }
}
