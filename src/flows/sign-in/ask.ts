import { timingSafeEqual } from 'node:crypto'
import type { IdentityDeps, SignInDeps } from '#identity/deps.ts'
import { AuthorizeError } from '#identity/errors.ts'
import { readAnswers, requireService, type SignInService } from '#identity/sign-in-access.ts'
import type { Ask } from '#kit/auth/ask.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { App } from '#model/apps/app.ts'
import { ApiError } from '#model/errors.ts'
import { findApp } from '#store/apps/apps.ts'
import { findPending, type Pending } from '#store/identity/pending.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import { keepForm, keptForm } from './kept-form.ts'
import type { OutcomeOf } from './outcome.ts'
import { type QuestionValue, questionHash, questionIn, shownAnswers } from './question.ts'
import { type ReturnTo, returnTo } from './return-to.ts'
import { sendToService } from './start.ts'

/** Why an answer was not accepted: its form, nobody of that name, no further servers, no response, or no server of this service. */
export type AskFault = 'format' | 'person' | 'capacity' | 'silent' | 'other'

/** What was answered last, and why it was not accepted. */
interface AnsweredForm {
  given: Record<string, string>
  faults: Record<string, AskFault>
}

/** What the page shows. */
export interface AskPrompt {
  ticket: string
  app: App
  connector: Connector
  ask: Ask
  /** The scope that was requested, if not the default. */
  scope: string | undefined
  to: ReturnTo
  /** The texts in the fields. */
  given: Readonly<Record<string, string>>
  /** The server or handle that the link of the sign-in names; undefined: none, or the person has answered already. */
  inLink?: string | undefined
  /** By field, why its answer was not accepted. */
  faults: Readonly<Record<string, AskFault>>
  expiresAt: number
}

/** Reading changes nothing, so the page can be reloaded. */
export async function readQuestion(
  deps: IdentityDeps,
  ticket: string,
  browser: Buffer | undefined,
): Promise<AskPrompt> {
  const { prompt, service, value } = await openTicket(deps, ticket, browser)
  const answered = await keptForm<AnsweredForm>(deps, ticket)
  if (answered !== undefined) return { ...prompt, ...answered }
  const { answers, wrong } = readAnswers(service, value.given)
  // As it was understood: in `mastodon.social@evil.test` people would read the wrong name.
  const understood = Object.keys(value.given).filter((name) => answers[name] !== undefined)
  const given = { ...value.given, ...Object.fromEntries(understood.map((name) => [name, answers[name] ?? ''])) }
  const named = understood.find((name) => prompt.ask[name]?.kind !== 'text')
  return { ...prompt, given, faults: faultsOf(wrong), inLink: named === undefined ? undefined : answers[named] }
}

/**
 * Starts the sign-in with the person's answers. The ticket stays valid, so that a person who comes back from a wrong
 * server can correct the answer; each sign-in has a state of its own and is counted.
 */
export async function answerQuestion(
  deps: SignInDeps,
  ticket: string,
  browser: Buffer | undefined,
  given: Readonly<Record<string, string>>,
  ip: string,
): Promise<OutcomeOf<'asked'>> {
  const { prompt, service, value, pending } = await openTicket(deps, ticket, browser)
  const { operation, accountId } = value.request
  deps.trace.of({ appId: prompt.app.id, service: pending.service, operation, accountId })
  const { answers, missing, wrong } = readAnswers(service, given)
  const keep = (faults: AnsweredForm['faults']) =>
    keepForm(deps, ticket, pending, { given: shownAnswers(prompt.ask, given), faults } satisfies AnsweredForm)
  const askAgain = async (faults: AnsweredForm['faults']): Promise<OutcomeOf<'asked'>> => {
    await keep(faults)
    return { kind: 'asked', ticket }
  }
  if (missing.length > 0 || wrong.length > 0) return askAgain(faultsOf([...missing, ...wrong]))
  try {
    const { options, request } = value
    const start = { app: prompt.app, ...service, answers, browser: pending.browser, ip, options, request }
    const outcome = await sendToService(deps, start)
    await keep({})
    return outcome
  } catch (error) {
    if (!(error instanceof AuthorizeError) || !(error.cause instanceof UpstreamError)) throw error
    // A typing error leads to a server that does not answer, or to none of this kind: the person can correct it.
    const [first] = Object.keys(answers)
    if (first === undefined || error.cause.reason === 'callback_unusable') throw error
    return await askAgain({ [first]: faultOfAnswer(error.cause) })
  }
}

/** The person pressed “Cancel”. */
export async function declineQuestion(
  deps: SignInDeps,
  ticket: string,
  browser: Buffer | undefined,
): Promise<OutcomeOf<'asked'>> {
  const { prompt, value, pending } = await openTicket(deps, ticket, browser)
  deps.trace.of({ appId: prompt.app.id, service: pending.service, operation: value.request.operation })
  deps.trace.stop('refused', 'access_denied', 'The person declined on our page.')
  return { kind: 'declined', to: prompt.to }
}

/** The address that a failure is returned to. */
export async function returnOfQuestion(
  deps: IdentityDeps,
  ticket: string,
  browser: Buffer | undefined,
): Promise<ReturnTo> {
  return (await openTicket(deps, ticket, browser)).prompt.to
}

interface OpenTicket {
  prompt: AskPrompt
  service: SignInService
  value: QuestionValue
  pending: Pending
}

/** Only the browser that began the sign-in may answer, within ten minutes. */
async function openTicket(deps: IdentityDeps, ticket: string, browser: Buffer | undefined): Promise<OpenTicket> {
  const pending = await findPending(deps.database, deps.keyring, questionHash(deps, ticket))
  const isValid =
    pending !== undefined &&
    pending.expiresAt >= deps.clock.now() &&
    browser !== undefined &&
    timingSafeEqual(pending.browser, browser)
  const app = isValid ? await findApp(deps.database, pending.appId) : undefined
  if (pending === undefined || app === undefined) throw new ApiError('session_expired')
  const service = await requireService(deps, app, pending.service)
  const value = questionIn(pending)
  const prompt: AskPrompt = {
    ticket,
    app,
    connector: service.connector,
    scope: value.options.scope ?? service.ownKey?.scope,
    ask: service.connector.ask ?? {},
    to: returnTo(value.request),
    given: value.given,
    faults: {},
    expiresAt: pending.expiresAt,
  }
  return { prompt, service, value, pending }
}

function faultsOf(names: readonly string[]): Record<string, AskFault> {
  return Object.fromEntries(names.map((name) => [name, 'format']))
}

function faultOfAnswer({ recovery, reason }: UpstreamError): AskFault {
  if (reason === 'handle_unresolved') return 'person'
  if (reason === 'capacity') return 'capacity'
  return recovery === 'retry' ? 'silent' : 'other'
}
