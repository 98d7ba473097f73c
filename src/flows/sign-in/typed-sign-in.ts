import { timingSafeEqual } from 'node:crypto'
import { keyFor } from '#access/service-key.ts'
import type { IdentityDeps, SignInDeps } from '#identity/deps.ts'
import { AuthorizeError } from '#identity/errors.ts'
import { uncountSignIn } from '#identity/open-sign-ins.ts'
import {
  type CompletedSignIn,
  isCompleted,
  isOnPage,
  readPending,
  type SignInOnPage,
  writePending,
} from '#identity/pending-value.ts'
import { checkServiceUser } from '#identity/reconnect.ts'
import { typedFieldsOf } from '#kit/auth/auth.ts'
import type { TypedFields, TypedValues } from '#kit/auth/typed.ts'
import { publicValues, readTyped, type TypedFaults } from '#kit/auth/typed-values.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { callbackAddress, namedServer, registrationOfKey } from '#kit/connector/service-addresses.ts'
import type { App } from '#model/apps/app.ts'
import { ApiError } from '#model/errors.ts'
import { findApp } from '#store/apps/apps.ts'
import { findPending, type Pending, replacePending, takePending } from '#store/identity/pending.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import type { ServiceKey } from '#upstream/request/service-key.ts'
import { verifyCredential } from '#upstream/sign-in.ts'
import { beginAppPassword } from '#upstream/typed/app-password.ts'
import { credentialOfTyped } from '#upstream/typed/credential.ts'
import { completeOnce, repeatOutcome, type SubmittedPage } from './complete-once.ts'
import { keepForm, keptForm } from './kept-form.ts'
import type { OutcomeOf } from './outcome.ts'
import { type ReturnTo, returnTo } from './return-to.ts'
import { toAuthorizeError } from './sign-in-failure.ts'
import { typedPath } from './start.ts'
import { attemptsResumeInS, countTyped } from './typed-attempts.ts'
import type { UploadProblem } from './upload-problems.ts'

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

/** What a submitted page leads to, also one whose sign-in was completed before. */
export type TypedOutcome = OutcomeOf<'typing' | 'forwarded' | 'coded'>

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
interface CompletedPage {
  app: App
  pending: Pending
  completed: CompletedSignIn
}

/** Reading the page changes nothing, so it can be reloaded. After the sign-in it leads on, like the submit did. */
export async function readTypedPage(
  deps: IdentityDeps,
  state: string,
  browser: Buffer | undefined,
): Promise<TypedPrompt | TypedOutcome> {
  const page = await openPage(deps, state, browser)
  if ('completed' in page) return repeatOutcome(deps, page.completed)
  return promptOf(page, await keptForm<TypedForm>(deps, state), deps.clock.now())
}

/** The person pressed “Cancel”: the app is told, and the page ends. */
export async function declineTyped(
  deps: SignInDeps,
  state: string,
  browser: Buffer | undefined,
): Promise<TypedOutcome> {
  const page = await openSubmittedPage(deps, state, browser)
  if ('completed' in page) return repeatOutcome(deps, page.completed)
  await takePending(deps.database, deps.keyring, hashOf(deps, state))
  await uncountSignIn(deps, page.app.id, page.value.counted)
  deps.trace.stop('refused', 'access_denied', 'The person declined on our page.')
  return { kind: 'declined', to: page.to }
}

/** The person submitted the page. What was typed is stored only after the service accepted it. */
export async function submitTyped(
  deps: SignInDeps,
  state: string,
  given: Readonly<Record<string, unknown>>,
  browser: Buffer | undefined,
  ip: string,
): Promise<TypedOutcome> {
  const page = await openSubmittedPage(deps, state, browser)
  if ('completed' in page) return repeatOutcome(deps, page.completed)
  const { app, connector, fields, pending } = page
  const { request } = page.value
  const { values, faults } = readTyped(fields, given)
  const typeAgain = async (problem: TypedProblem | undefined, found: TypedFaults = {}): Promise<TypedOutcome> => {
    const form: TypedForm = { values: publicValues(fields, values), faults: found, problem }
    await keepForm(deps, state, pending, form)
    return { kind: 'typing', url: typedPath(state) }
  }
  if (Object.keys(faults).length > 0) return typeAgain(undefined, faults)
  const attempt = await countTyped(deps, { appId: app.id, connector, values, browser: pending.browser, ip })
  if (attempt === undefined)
    return typeAgain({ kind: 'too_many', until: deps.clock.now() + attemptsResumeInS(deps) * 1000 })
  const beganAt = deps.clock.now()
  try {
    const key = await keyFor(deps, app.id, connector)
    if (key === undefined) throw new AuthorizeError('no_service_keys')
    if (connector.auth.kind === 'app_password') {
      const url = await sendToServer(deps, page, key, values)
      await attempt.release()
      deps.trace.awaits("The person was sent to the server's own page.", 'abandoned', pending.expiresAt)
      return { kind: 'forwarded', url }
    }
    const credential = await credentialOfTyped(deps.upstream, { connector, key, values })
    const signedIn = await verifyCredential(deps.upstream, { connector, key, credential })
    if (request.began === 'reconnect') await checkServiceUser(deps, { signedIn, reconnect: request.reconnect })
    await attempt.release()
    return await completeOnce(deps, submittedPage(deps, page), { connector, key, signedIn }, beganAt)
  } catch (error) {
    const problem = problemOf(deps, error, connector)
    if (problem === undefined) throw error
    return await typeAgain(problem)
  }
}

/** The page of what a person types, as what completes its sign-in needs it. */
export function submittedPage(deps: IdentityDeps, page: OpenPage): SubmittedPage {
  const { database, keyring, hasher } = deps
  const { app, state, to, value, pending } = page
  return {
    app,
    pending,
    request: value.request,
    counted: value.counted,
    to,
    claim: hasher.hash('pending', `settling ${state}`),
    keep: (completed) => replacePending(database, keyring, hashOf(deps, state), writePending(value.kind, completed)),
    end: () => takePending(database, keyring, hashOf(deps, state)),
    completed: async () => {
      const now = await openPage(deps, state, pending.browser)
      return 'completed' in now ? now.completed : undefined
    },
  }
}

/** Finds the server's own page. The sign-in goes on at the callback, with the server that the person named. */
async function sendToServer(
  deps: IdentityDeps,
  { app, connector, state, value }: OpenPage,
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
  const { request, counted } = value
  const secrets = { service, values }
  const next = writePending(value.kind, { kind: 'forwarded', request, counted, secrets, registration })
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
): Promise<OpenPage | CompletedPage> {
  const page = await openPage(deps, state, browser)
  const { operation, accountId } = ('completed' in page ? page.completed : page.value).request
  deps.trace.of({ appId: page.app.id, service: page.pending.service, operation, accountId })
  return page
}

/** Only the browser that started the sign-in sees its page or submits it. */
async function openPage(
  deps: IdentityDeps,
  state: string,
  browser: Buffer | undefined,
): Promise<OpenPage | CompletedPage> {
  const pending = await findPending(deps.database, deps.keyring, hashOf(deps, state))
  const isValid = pending !== undefined && pending.expiresAt >= deps.clock.now() && isSameBrowser(pending, browser)
  const app = isValid ? await findApp(deps.database, pending.appId) : undefined
  const connector = pending && deps.registry.find(pending.service)
  const fields = connector && typedFieldsOf(connector.auth)
  if (!pending || !app || !connector || !fields) throw new ApiError('session_expired')
  const value = readPending(pending)
  if (isCompleted(value)) return { app, pending, completed: value }
  if (!isOnPage(value)) throw new ApiError('session_expired')
  return { state, app, pending, value, to: returnTo(value.request), connector, fields }
}

function isSameBrowser(pending: Pending, browser: Buffer | undefined): boolean {
  return browser !== undefined && timingSafeEqual(pending.browser, browser)
}

function hashOf({ hasher }: IdentityDeps, state: string): Buffer {
  return hasher.hash('pending', `state ${state}`)
}
