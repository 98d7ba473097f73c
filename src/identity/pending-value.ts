import type { Answers } from '#kit/auth/ask.ts'
import type { TypedValues } from '#kit/auth/typed.ts'
import { type NextState, nextStates, type SignInState } from '#model/accounts/sign-in-state.ts'
import type { CountedSignIn } from './open-sign-ins.ts'

interface Returning {
  redirectUri: string
  /** Language of our pages, as the app gave it. */
  locale?: string | undefined
  /** The id of the sign-in in the log; undefined where an older release started it. */
  operation?: string | undefined
}

interface Requested extends Returning {
  state: string | undefined
  codeChallenge: string | undefined
  /** The account that the profile joins; undefined: one that the service user has, or a new one. */
  accountId: string | undefined
}

/** The app sent the person. */
interface RequestOfApp extends Requested {
  began: 'request'
  responseType: 'code' | 'token'
}

/** The person opened the link of a connect session, which decides about the account. */
interface RequestOfSession extends Requested {
  began: 'session'
  responseType: 'code'
  /** The id of the session. */
  session: string
}

/** The person opened a link to reconnect one profile. */
export interface RequestOfReconnect extends Returning {
  began: 'reconnect'
  responseType: 'code'
  state: undefined
  codeChallenge: undefined
  accountId: string
  reconnect: Reconnecting
}

/** What a sign-in was begun for, by what began it. */
export type SignInRequest = RequestOfApp | RequestOfSession | RequestOfReconnect

/** The link that a sign-in began with, and the profile that it may reconnect. */
export interface Reconnecting {
  shard: number
  /** Hash of the link, in hex. */
  link: string
  profileId: string
  /** For the response to the app. */
  profile: string
  account: string
}

interface Waiting {
  request: SignInRequest
  /** Undefined where an older release started the sign-in. */
  counted: CountedSignIn | undefined
}

/** The person is on our page, and types what the service requires. */
interface TypingSignIn extends Waiting {
  kind: 'typing'
  secrets: { service: string }
}

/** The person is at the page of the server that they named on our page, and may come back to ours. */
interface ForwardedSignIn extends Waiting {
  kind: 'forwarded'
  secrets: { service: string; values: TypedValues }
  registration: string | undefined
}

/** The person is at the service. */
interface SentSignIn extends Waiting {
  kind: 'sent'
  /** The upstream reads them at the callback. */
  secrets: Record<string, unknown>
  /** What the address of the callback must name; undefined: nothing. */
  registration: string | undefined
  /** The person's instance, and who must come back; undefined where the service has one instance. */
  instance: Answers | undefined
  subject: string | undefined
}

/** The service posted its response to the callback, and the browser follows with its cookie. */
interface PostedSignIn extends Omit<SentSignIn, 'kind'> {
  kind: 'posted'
  posted: Record<string, string>
}

/** A sign-in on our page was completed; its outcome is kept for a second submit of the page. */
export type CompletedSignIn = { request: SignInRequest } & (
  | { kind: 'coded'; code: string }
  | { kind: 'confirming'; ticket: string }
  | { kind: 'reconnected'; account: string }
)

/** The sealed content of a pending sign-in, by its state. */
export type PendingValue = TypingSignIn | ForwardedSignIn | SentSignIn | PostedSignIn | CompletedSignIn

/** A pending sign-in in a state that one in this state may change to. */
export type NextPending<From extends SignInState> = Extract<PendingValue, { kind: NextState<From> }>

/** The person can submit our page. */
export type SignInOnPage = TypingSignIn | ForwardedSignIn

export function isOnPage(value: PendingValue): value is SignInOnPage {
  return value.kind === 'typing' || value.kind === 'forwarded'
}

export function isCompleted(value: PendingValue): value is CompletedSignIn {
  return value.kind === 'coded' || value.kind === 'confirming' || value.kind === 'reconnected'
}

/** The person is not on a page of ours, so a callback continues it. */
export type SignInAtService = ForwardedSignIn | SentSignIn | PostedSignIn

export function isAtService(value: PendingValue): value is SignInAtService {
  return value.kind === 'forwarded' || value.kind === 'sent' || value.kind === 'posted'
}

/**
 * The stored form, which the releases before and after this one share while an installation is updated: one record, in which the
 * fields that are set say what it is.
 */
export interface StoredRequest extends Returning {
  responseType: 'code' | 'token'
  state?: string | undefined
  codeChallenge?: string | undefined
  accountId?: string | undefined
  session?: string | undefined
  reconnect?: Reconnecting | undefined
}

interface StoredPending extends StoredRequest {
  upstream: Record<string, unknown>
  counted?: CountedSignIn | undefined
  registration?: string | undefined
  instance?: Answers | undefined
  subject?: string | undefined
  posted?: Record<string, string> | undefined
  settled?: StoredResult | undefined
}

/** How a sign-in on a page of ours ended. */
export type StoredResult =
  | { kind: 'redirect'; code: string }
  | { kind: 'confirm'; ticket: string }
  | { kind: 'reconnected'; account: string }

export function storedRequest(request: SignInRequest): StoredRequest {
  const { began: _, ...fields } = request
  return fields
}

export function requestIn(stored: StoredRequest): SignInRequest {
  const { redirectUri, locale, operation, responseType, state, codeChallenge, accountId, session, reconnect } = stored
  const returning = { redirectUri, locale, operation }
  if (reconnect !== undefined)
    return {
      began: 'reconnect',
      ...returning,
      responseType: 'code',
      state: undefined,
      codeChallenge: undefined,
      accountId: reconnect.account,
      reconnect,
    }
  const asked = { ...returning, state, codeChallenge, accountId }
  if (session !== undefined) return { began: 'session', ...asked, responseType: 'code', session }
  return { began: 'request', ...asked, responseType }
}

/** The JSON text to seal when a sign-in is stored, or changes its state. The compiler allows only what the table of states does. */
export function writePending<From extends SignInState>(from: From, value: NextPending<From>): string {
  // What was read from the database is typed by assertion.
  if (!nextStates(from).includes(value.kind)) throw new Error(`A sign-in cannot change from ${from} to ${value.kind}.`)
  return JSON.stringify(toStored(value))
}

function toStored(value: PendingValue): StoredPending {
  if (isCompleted(value)) return { ...storedRequest(value.request), upstream: {}, settled: storedResult(value) }
  const { kind: _, request, secrets, ...fields } = value
  return { ...storedRequest(request), ...fields, upstream: secrets }
}

export function storedResult(completed: CompletedSignIn): StoredResult {
  switch (completed.kind) {
    case 'coded':
      return { kind: 'redirect', code: completed.code }
    case 'confirming':
      return { kind: 'confirm', ticket: completed.ticket }
    case 'reconnected':
      return { kind: 'reconnected', account: completed.account }
    default:
      return completed satisfies never
  }
}

export function readPending({ value }: { value: string }): PendingValue {
  const stored = JSON.parse(value) as StoredPending
  const { upstream, counted, registration, instance, subject, posted, settled } = stored
  const waiting = { request: requestIn(stored), counted }
  if (settled !== undefined) return completedIn(waiting.request, settled)
  // Only a sign-in that was sent to a service has a callback from the beginning.
  if (upstream['callbackUrl'] === undefined) {
    const { service, values } = upstream as { service: string; values?: TypedValues }
    if (values === undefined) return { kind: 'typing', ...waiting, secrets: { service } }
    return { kind: 'forwarded', ...waiting, secrets: { service, values }, registration }
  }
  const sent = { ...waiting, secrets: upstream, registration, instance, subject }
  return posted === undefined ? { kind: 'sent', ...sent } : { kind: 'posted', ...sent, posted }
}

export function completedIn(request: SignInRequest, settled: StoredResult): CompletedSignIn {
  switch (settled.kind) {
    case 'redirect':
      return { kind: 'coded', request, code: settled.code }
    case 'confirm':
      return { kind: 'confirming', request, ticket: settled.ticket }
    case 'reconnected':
      return { kind: 'reconnected', request, account: settled.account }
    default:
      return settled satisfies never
  }
}
