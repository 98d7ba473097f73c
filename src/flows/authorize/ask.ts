import { timingSafeEqual } from 'node:crypto'
import type { Ask } from '#kit/ask.ts'
import type { App } from '#model/app.ts'
import { ApiError } from '#model/errors.ts'
import { randomSecret } from '#platform/ids.ts'
import { findApp } from '#store/apps/apps.ts'
import { findPending, insertPending, type Pending } from '#store/identity/pending.ts'
import { UpstreamError } from '#upstream/errors.ts'
import { type AuthorizeDeps, TEN_MINUTES_MS } from './deps.ts'
import { AuthorizeError } from './errors.ts'
import { countSignIn } from './open-sign-ins.ts'
import { readAnswers, requireService, type SignInService } from './sign-in-access.ts'
import { type ReturnTo, type SignInStart, sendToService } from './start.ts'

/** The sealed content of a question to the person. */
interface AskValue {
  request: SignInStart['value']
  options: SignInStart['options']
  /** What the app gave, also if it cannot be understood. */
  given: Record<string, string>
}

/** What the page shows. */
export interface AskPrompt {
  ticket: string
  app: App
  service: string
  ask: Ask
  to: ReturnTo
  /** The texts in the fields. */
  given: Readonly<Record<string, string>>
  /** By field, why its answer was not accepted. */
  faults: Readonly<Record<string, string>>
  expiresAt: number
}

export type AskResult = { kind: 'redirect'; url: string } | { kind: 'again'; prompt: AskPrompt }

/** Limit: characters of an answer as it is shown again; the rest is cut off. */
const MAX_SHOWN_ANSWER = 300

/** Stores the sign-in until the person has answered; returns the ticket of the page. */
export async function openQuestion(
  deps: AuthorizeDeps,
  { app, connector, browser, ip, options, value: request }: Omit<SignInStart, 'ownKey' | 'answers'>,
  given: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  await countSignIn(deps, app.id, ip)
  const ticket = randomSecret()
  const value: AskValue = { request, options, given: shown(connector.ask ?? {}, given) }
  await insertPending(deps.database, deps.keyring, hashOf(deps, ticket), {
    appId: app.id,
    service: connector.service,
    browser,
    value: JSON.stringify(value),
    expiresAt: deps.clock.now() + TEN_MINUTES_MS,
  })
  return ticket
}

/** Reading changes nothing, so the page can be reloaded. */
export async function readQuestion(
  deps: AuthorizeDeps,
  ticket: string,
  browser: Buffer | undefined,
): Promise<AskPrompt> {
  const { prompt, service, value } = await openTicket(deps, ticket, browser)
  const { wrong } = readAnswers(service, value.given)
  return { ...prompt, faults: faultsOf(service, wrong) }
}

/**
 * Starts the sign-in with the person's answers. The ticket stays valid, so that a person who comes back from a wrong
 * server can correct the answer; each sign-in has a state of its own and is counted.
 */
export async function answerQuestion(
  deps: AuthorizeDeps,
  ticket: string,
  browser: Buffer | undefined,
  given: Readonly<Record<string, string>>,
  ip: string,
): Promise<AskResult> {
  const { prompt, service, value, pending } = await openTicket(deps, ticket, browser)
  const { answers, missing, wrong } = readAnswers(service, given)
  const again = (faults: AskPrompt['faults']): AskResult => ({
    kind: 'again',
    prompt: { ...prompt, given: shown(prompt.ask, given), faults },
  })
  if (missing.length > 0 || wrong.length > 0) return again(faultsOf(service, [...missing, ...wrong]))
  try {
    const { options, request } = value
    const start = { app: prompt.app, ...service, answers, browser: pending.browser, ip, options, value: request }
    return { kind: 'redirect', url: await sendToService(deps, start) }
  } catch (error) {
    if (!(error instanceof AuthorizeError) || !(error.cause instanceof UpstreamError)) throw error
    // A typing error leads to a server that does not answer, or to none of this kind: the person can correct it.
    const [first] = Object.keys(answers)
    if (first === undefined || error.cause.reason === 'callback_unusable') throw error
    return again({ [first]: faultOfAnswer(error.cause, prompt.service) })
  }
}

/** The address that a person who declines returns to. */
export async function declineQuestion(
  deps: AuthorizeDeps,
  ticket: string,
  browser: Buffer | undefined,
): Promise<ReturnTo> {
  return (await openTicket(deps, ticket, browser)).prompt.to
}

interface OpenTicket {
  prompt: AskPrompt
  service: SignInService
  value: AskValue
  pending: Pending
}

/** Only the browser that began the sign-in may answer, within ten minutes. */
async function openTicket(deps: AuthorizeDeps, ticket: string, browser: Buffer | undefined): Promise<OpenTicket> {
  const pending = await findPending(deps.database, deps.keyring, hashOf(deps, ticket))
  const isValid =
    pending !== undefined &&
    pending.expiresAt >= deps.clock.now() &&
    browser !== undefined &&
    timingSafeEqual(pending.browser, browser)
  const app = isValid ? await findApp(deps.database, pending.appId) : undefined
  if (pending === undefined || app === undefined) throw new ApiError('session_expired')
  const service = await requireService(deps, app, pending.service)
  const value = JSON.parse(pending.value) as AskValue
  const { redirectUri, state, reconnect } = value.request
  const prompt: AskPrompt = {
    ticket,
    app,
    service: service.connector.title,
    ask: service.connector.ask ?? {},
    to: { redirectUri, state, reconnect },
    given: value.given,
    faults: {},
    expiresAt: pending.expiresAt,
  }
  return { prompt, service, value, pending }
}

const hashOf = ({ hasher }: AuthorizeDeps, ticket: string): Buffer => hasher.hash('pending', `ask ${ticket}`)

function shown(ask: Ask, given: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(ask).flatMap(([name, { alsoNamed }]) => {
      const text = given[name] ?? (alsoNamed === undefined ? undefined : given[alsoNamed])
      return text === undefined ? [] : [[name, text.slice(0, MAX_SHOWN_ANSWER)]]
    }),
  )
}

function faultsOf({ connector }: SignInService, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => [name, `Please write it like ${connector.ask?.[name]?.example ?? 'the example'}.`]),
  )
}

function faultOfAnswer({ recovery, reason }: UpstreamError, service: string): string {
  if (reason === 'handle_unresolved') return 'Nobody has this name. Is it spelled correctly?'
  if (reason === 'capacity') return 'This app cannot be used at further servers.'
  if (recovery === 'retry') return 'This server does not answer. Is it spelled correctly?'
  return `This is not a ${service} server that apps can use. Is it spelled correctly?`
}
