import { timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { keyFor } from '#access/service-key.ts'
import { type SignedIn, typedFieldsOf } from '#kit/auth.ts'
import type { Connector } from '#kit/connector.ts'
import { callbackAddress, namedServer, registrationOfKey } from '#kit/service-addresses.ts'
import type { TypedFields, TypedValues } from '#kit/typed.ts'
import { publicValues, readTyped, type TypedFaults } from '#kit/typed-values.ts'
import { ticketShard } from '#model/access-token.ts'
import type { App } from '#model/app.ts'
import { ApiError } from '#model/errors.ts'
import { findApp } from '#store/apps/apps.ts'
import { lockConsent } from '#store/identity/consents.ts'
import { claimPending, findPending, type Pending, replacePending, takePending } from '#store/identity/pending.ts'
import { UpstreamError } from '#upstream/errors.ts'
import type { ServiceKey } from '#upstream/service-key.ts'
import { verifyCredential } from '#upstream/sign-in.ts'
import { beginAppPassword } from '#upstream/typed/app-password.ts'
import { credentialOfTyped } from '#upstream/typed/credential.ts'
import { type CallbackResult, completeSignIn } from './callback.ts'
import type { AuthorizeDeps, SignInDeps } from './deps.ts'
import { AuthorizeError } from './errors.ts'
import type { UploadProblem } from './files/upload-problems.ts'
import { keepForm, keptForm } from './kept-form.ts'
import { uncountSignIn } from './open-sign-ins.ts'
import {
  isOnPage,
  isSettled,
  readPending,
  type SettledSignIn,
  type SignInOnPage,
  type SignInRequest,
  writePending,
} from './pending-value.ts'
import { checkServiceUser } from './reconnect.ts'
import { toAuthorizeError } from './sign-in-failure.ts'
import { type ReturnTo, returnTo } from './start.ts'
import { attemptsResumeInS, countTyped } from './typed-attempts.ts'

/** What the page shows. Secrets are never in it. */
export interface TypedPrompt {
  kind: 'prompt'
  app: App
  to: ReturnTo
  state: string
  connector: Connector
  fields: TypedFields
  /** What was typed before, without secrets. */
  values: TypedValues
  faults: TypedFaults
  /** Why it did not work, for the person. */
  problem: TypedProblem | undefined
  /** The person goes on at the service's own page. */
  goesOn: boolean
  /** Nothing that is typed is secret, so there is nothing to sign in with. */
  isPublic: boolean
  expiresAt: number
}

export type TypedProblem =
  | { kind: 'refused' }
  | { kind: 'unreachable' }
  | { kind: 'not_there' }
  | { kind: 'other_user' }
  | { kind: 'too_many'; until: number }
  | { kind: 'file'; problem: UploadProblem }

/** `again`: the page shows what is wrong. */
export type TypedResult =
  | TypedPrompt
  | CallbackResult
  | { kind: 'again'; state: string }
  | { kind: 'sent'; url: string }
  | { kind: 'done'; to: ReturnTo }

/** What was typed last, without secrets, and why it was not accepted. */
export interface TypedForm {
  values: TypedValues
  faults: TypedFaults
  problem?: TypedProblem | undefined
}

/** A sign-in whose page is open. */
export interface OpenPage {
  state: string
  app: App
  pending: Pending
  value: SignInOnPage
  to: ReturnTo
  connector: Connector
  fields: TypedFields
}

/** A page whose sign-in is over. */
interface SettledPage {
  app: App
  pending: Pending
  settled: SettledSignIn
}

/** Reading the page changes nothing, so it can be reloaded. After the sign-in it leads on, like the submit did. */
export async function readTypedPage(
  deps: AuthorizeDeps,
  state: string,
  browser: Buffer | undefined,
): Promise<TypedResult> {
  const page = await openPage(deps, state, browser)
  if ('settled' in page) return repeatResult(deps, page.settled)
  return promptOf(page, await keptForm<TypedForm>(deps, state), deps.clock.now())
}

/** The person pressed “Cancel”: the app is told, and the page ends. */
export async function declineTyped(deps: SignInDeps, state: string, browser: Buffer | undefined): Promise<TypedResult> {
  const page = await openSubmittedPage(deps, state, browser)
  if ('settled' in page) return repeatResult(deps, page.settled)
  await takePending(deps.database, deps.keyring, hashOf(deps, state))
  await uncountSignIn(deps, page.app.id, page.value.counted)
  deps.trace.stop('refused', 'access_denied', 'The person declined on our page.')
  return { kind: 'failed', to: page.to, error: new AuthorizeError('access_denied') }
}

/** The person submitted the page. What was typed is stored only after the service accepted it. */
export async function submitTyped(
  deps: SignInDeps,
  state: string,
  given: Readonly<Record<string, unknown>>,
  browser: Buffer | undefined,
  ip: string,
): Promise<TypedResult> {
  const page = await openSubmittedPage(deps, state, browser)
  if ('settled' in page) return repeatResult(deps, page.settled)
  const { app, connector, fields, pending } = page
  const { request } = page.value
  const { values, faults } = readTyped(fields, given)
  const again = async (problem: TypedProblem | undefined, found: TypedFaults = {}): Promise<TypedResult> => {
    const form: TypedForm = { values: publicValues(fields, values), faults: found, problem }
    await keepForm(deps, state, pending, form)
    return { kind: 'again', state }
  }
  if (Object.keys(faults).length > 0) return again(undefined, faults)
  const attempt = await countTyped(deps, { appId: app.id, connector, values, browser: pending.browser, ip })
  if (attempt === undefined)
    return again({ kind: 'too_many', until: deps.clock.now() + attemptsResumeInS(deps) * 1000 })
  const beganAt = deps.clock.now()
  try {
    const key = await keyFor(deps, app.id, connector)
    if (key === undefined) throw new AuthorizeError('no_service_keys')
    if (connector.auth.kind === 'app_password') {
      const url = await sendToServer(deps, page, key, values)
      await attempt.release()
      deps.trace.awaits("The person was sent to the server's own page.", 'abandoned', pending.expiresAt)
      return { kind: 'sent', url }
    }
    const credential = await credentialOfTyped(deps.upstream, { connector, key, values })
    const signedIn = await verifyCredential(deps.upstream, { connector, key, credential })
    if (request.began === 'reconnect') await checkServiceUser(deps, { signedIn, reconnect: request.reconnect })
    await attempt.release()
    return await settle(deps, page, { key, signedIn }, beganAt)
  } catch (error) {
    const problem = problemOf(deps, error, connector)
    if (problem === undefined) throw error
    return await again(problem)
  }
}

/**
 * Completes the sign-in once, and keeps the result: a second submit of the same page, by a double click or after a reload,
 * gets the same one.
 */
export async function settle(
  deps: SignInDeps,
  { app, connector, state, to, value, pending }: OpenPage,
  { key, signedIn }: { key: ServiceKey; signedIn: SignedIn },
  beganAt: number,
): Promise<TypedResult> {
  const { database, keyring, hasher } = deps
  const { request, counted } = value
  const claim = hasher.hash('pending', `settling ${state}`)
  if (!(await claimPending(database, keyring, claim, { ...pending, value: '{}' })))
    return awaitSettled(deps, state, pending.browser)
  try {
    const result = await completeSignIn(
      deps,
      { app, pending, request, counted, to },
      { connector, key, signedIn },
      beganAt,
    )
    const settled = settledOf(request, result)
    if (settled !== undefined) await replacePending(database, keyring, hashOf(deps, state), writePending(settled))
    return result
  } catch (error) {
    await takePending(database, keyring, hashOf(deps, state))
    await uncountSignIn(deps, app.id, counted)
    return { kind: 'failed', to, error: toAuthorizeError(deps, error, connector.service) }
  }
}

function settledOf(request: SignInRequest, result: CallbackResult): SettledSignIn | undefined {
  if (result.kind === 'redirect') return { kind: 'coded', request, code: result.code }
  if (result.kind === 'confirm') return { kind: 'confirming', request, ticket: result.ticket }
  return result.kind === 'reconnected' ? { kind: 'reconnected', request, account: result.account } : undefined
}

const POLL_MS = 100
/** Limit: time that a repeated submit waits for the first one to finish; then the sign-in counts as ended. */
const MAX_SETTLE_MS = 5000

async function awaitSettled(deps: AuthorizeDeps, state: string, browser: Buffer): Promise<TypedResult> {
  for (let waited = 0; waited < MAX_SETTLE_MS; waited += POLL_MS) {
    const page = await openPage(deps, state, browser)
    if ('settled' in page) return repeatResult(deps, page.settled)
    await sleep(POLL_MS)
  }
  throw new ApiError('session_expired')
}

/** The same code again while nobody exchanged it; afterwards there is nothing more to do. */
export async function repeatResult(deps: AuthorizeDeps, settled: SettledSignIn): Promise<TypedResult> {
  const to = returnTo(settled.request)
  if (settled.kind === 'confirming') return { kind: 'confirm', ticket: settled.ticket }
  if (settled.kind === 'reconnected') return { kind: 'reconnected', to, account: settled.account }
  const shard = ticketShard('trc', settled.code) ?? 0
  const consent = await lockConsent(deps.database, deps.keyring, shard, deps.hasher.hash('code', settled.code))
  if (consent === undefined) throw new ApiError('session_expired')
  return consent.usedAt === undefined ? { kind: 'redirect', to, code: settled.code } : { kind: 'done', to }
}

/** Finds the server's own page. The sign-in goes on at the callback, with the server that the person named. */
async function sendToServer(
  deps: AuthorizeDeps,
  { app, connector, state, value: { request, counted } }: OpenPage,
  key: ServiceKey,
  values: TypedValues,
): Promise<string> {
  const { auth, service } = connector
  if (auth.kind !== 'app_password') throw new AuthorizeError('server_error')
  // The address names the server, like the password that comes back has to.
  const registration = registrationOfKey(app.id, service, key.overrides, namedServer(connector, values))
  const callback = callbackAddress(deps.config.baseUrl, service, registration)
  const back = `${callback}?${new URLSearchParams({ state }).toString()}`
  const url = await beginAppPassword(deps.upstream, {
    connector,
    auth,
    key,
    values,
    callbackUrl: back,
    appName: app.name,
  })
  const next = writePending({ kind: 'forwarded', request, counted, secrets: { service, values }, registration })
  if (await replacePending(deps.database, deps.keyring, hashOf(deps, state), next)) return url
  throw new ApiError('session_expired')
}

/** Undefined for what the page cannot help with. The service's own message is only logged. */
function problemOf(deps: SignInDeps, error: unknown, connector: Connector): TypedProblem | undefined {
  if (error instanceof AuthorizeError && error.reason === 'other_service_user') return { kind: 'other_user' }
  if (!(error instanceof UpstreamError)) return undefined
  const { reason } = toAuthorizeError(deps, error, connector.service)
  if (error.reason === 'discovery_failed' || error.reason === 'not_found') return { kind: 'not_there' }
  return { kind: reason === 'service_unreachable' || reason === 'address_refused' ? 'unreachable' : 'refused' }
}

function promptOf(
  { app, to, state, connector, fields, pending, value }: OpenPage,
  form: TypedForm | undefined,
  nowMs: number,
): TypedPrompt {
  const problem = form?.problem
  const isOver = problem?.kind === 'too_many' && problem.until <= nowMs
  return {
    kind: 'prompt',
    app,
    to,
    state,
    connector,
    fields,
    values: form?.values ?? (value.kind === 'forwarded' ? value.secrets.values : {}),
    faults: form?.faults ?? {},
    problem: isOver ? undefined : problem,
    goesOn: connector.auth.kind === 'app_password',
    isPublic: connector.auth.kind === 'none',
    expiresAt: pending.expiresAt,
  }
}

/** The page that a person submits; from here on the request is logged as part of its sign-in. */
export async function openSubmittedPage(
  deps: SignInDeps,
  state: string,
  browser: Buffer | undefined,
): Promise<OpenPage | SettledPage> {
  const page = await openPage(deps, state, browser)
  const { operation, accountId } = ('settled' in page ? page.settled : page.value).request
  deps.trace.of({ appId: page.app.id, service: page.pending.service, operation, accountId })
  return page
}

/** Only the browser that started the sign-in sees its page or submits it. */
async function openPage(
  deps: AuthorizeDeps,
  state: string,
  browser: Buffer | undefined,
): Promise<OpenPage | SettledPage> {
  const pending = await findPending(deps.database, deps.keyring, hashOf(deps, state))
  const isValid = pending !== undefined && pending.expiresAt >= deps.clock.now() && isSameBrowser(pending, browser)
  const app = isValid ? await findApp(deps.database, pending.appId) : undefined
  const connector = pending && deps.registry.find(pending.service)
  const fields = connector && typedFieldsOf(connector.auth)
  if (!pending || !app || !connector || !fields) throw new ApiError('session_expired')
  const value = readPending(pending)
  if (isSettled(value)) return { app, pending, settled: value }
  if (!isOnPage(value)) throw new ApiError('session_expired')
  return { state, app, pending, value, to: returnTo(value.request), connector, fields }
}

function isSameBrowser(pending: Pending, browser: Buffer | undefined): boolean {
  return browser !== undefined && timingSafeEqual(pending.browser, browser)
}

function hashOf({ hasher }: AuthorizeDeps, state: string): Buffer {
  return hasher.hash('pending', `state ${state}`)
}
