import { findServiceAccess } from '#access/service-access.ts'
import type { IdentityDeps, SignInDeps } from '#identity/deps.ts'
import { AuthorizeError, noServiceKeys } from '#identity/errors.ts'
import { uncountSignIn } from '#identity/open-sign-ins.ts'
import type { CompletedSignIn } from '#identity/pending-value.ts'
import { checkServiceUser } from '#identity/reconnect.ts'
import { revokeUnneeded } from '#identity/revoke-token.ts'
import { tenantsOf } from '#kit/auth/tenants.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { Tenant, Tenants } from '#kit/read/facts.ts'
import { ticketShard } from '#model/accounts/access-token.ts'
import type { App } from '#model/apps/app.ts'
import { ApiError } from '#model/errors.ts'
import { findApp } from '#store/apps/apps.ts'
import { deleteConsent, lockConsent, settleConsent, type UsedConsent } from '#store/identity/consents.ts'
import type { Pending } from '#store/identity/pending.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import { finishAtTenant } from '#upstream/sign-in.ts'
import { choiceHash } from './ask-for-tenant.ts'
import { type ChoiceValue, readChoice, writeChoice } from './choice-value.ts'
import { completeOnce, repeatOutcome, type SubmittedPage } from './complete-once.ts'
import { requireUsable } from './confirm-ticket.ts'
import { keepForm, keptForm } from './kept-form.ts'
import type { OutcomeOf } from './outcome.ts'
import { type ReturnTo, returnTo } from './return-to.ts'

/** Why a tenant cannot be used: none was chosen, the service refuses it or does not respond, or it is not that of the profile. */
export type ChoiceProblem = 'missing' | 'refused' | 'unreachable' | 'other_user'

/** What the page shows. */
export interface ChoosePrompt {
  kind: 'prompt'
  ticket: string
  app: App
  connector: Connector
  tenants: Tenants
  offered: { id: string; name: string }[]
  to: ReturnTo
  problem: ChoiceProblem | undefined
  expiresAt: number
}

/** Where a submitted page leads, also one whose sign-in was completed before. */
type ChosenOutcome = OutcomeOf<'choosing' | 'coded'>

/** Reading changes nothing, so the page can be reloaded and opened twice. After the choice it leads on, like the submit did. */
export async function readChoicePage(
  deps: IdentityDeps,
  ticket: string,
  browser: Buffer | undefined,
): Promise<ChoosePrompt | ChosenOutcome> {
  const open = await openChoice(deps, ticket, browser)
  if ('completed' in open) return repeatOutcome(deps, open.completed)
  const { app, described, tenants, choice, to, consent } = open
  const form = await keptForm<{ problem?: ChoiceProblem }>(deps, ticket)
  return {
    kind: 'prompt',
    ticket,
    app,
    connector: described,
    tenants,
    offered: choice.tenants.map((each) => ({ id: idOf(tenants, each), name: each.name })),
    to,
    problem: form?.problem,
    expiresAt: consent.expiresAt,
  }
}

/** The person chose one of the tenants that the service listed; any other is asked again. */
export async function chooseTenant(
  deps: SignInDeps,
  ticket: string,
  browser: Buffer | undefined,
  id: string | undefined,
): Promise<ChosenOutcome> {
  const open = await openSubmitted(deps, ticket, browser)
  if ('completed' in open) return repeatOutcome(deps, open.completed)
  const { app, described, pending, choice, request } = open
  const askAgain = async (problem: ChoiceProblem): Promise<ChosenOutcome> => {
    await keepForm(deps, ticket, pending, { problem })
    return { kind: 'choosing', ticket }
  }
  const tenant = choice.tenants.find((each) => idOf(open.tenants, each) === id)
  if (tenant === undefined) return askAgain('missing')
  const beganAt = deps.clock.now()
  const { credential, scope } = choice
  const access = await findServiceAccess(deps, app.id, described, credential.instance)
  if (access === undefined) throw noServiceKeys(app.id, pending.service)
  const { connector, key } = access
  try {
    const signedIn = await finishAtTenant(deps.upstream, { connector, key, credential, scope }, tenant)
    if (request.began === 'reconnect') await checkServiceUser(deps, { signedIn, reconnect: request.reconnect })
    return await completeOnce(deps, submittedPage(deps, open), { connector, key, signedIn }, beganAt)
  } catch (error) {
    const problem = problemOf(error)
    if (problem === undefined) throw error
    deps.log.warn('a tenant that a person chose cannot be used', { service: pending.service, error })
    return await askAgain(problem)
  }
}

/** The person pressed “Cancel”: the app is told, and the token is ended. */
export async function declineChoice(
  deps: SignInDeps,
  ticket: string,
  browser: Buffer | undefined,
): Promise<ChosenOutcome> {
  const open = await openSubmitted(deps, ticket, browser)
  if ('completed' in open) return repeatOutcome(deps, open.completed)
  await endChoice(deps, open)
  deps.trace.stop('refused', 'access_denied', 'The person declined on our page.')
  return { kind: 'declined', to: open.to }
}

/** The address that a failure is returned to. */
export async function returnOfChoice(
  deps: IdentityDeps,
  ticket: string,
  browser: Buffer | undefined,
): Promise<ReturnTo> {
  return (await openChoice(deps, ticket, browser)).to
}

interface OpenChoice {
  ticket: string
  app: App
  /** As it is described, without answers of the person. */
  described: Connector
  tenants: Tenants
  consent: UsedConsent
  /** The same for what is kept beside it. */
  pending: Pending
  request: ChoiceValue['request']
  choice: Extract<ChoiceValue, { kind: 'choosing' }>
  to: ReturnTo
}

/** The page as what completes its sign-in needs it. */
function submittedPage(deps: SignInDeps, open: OpenChoice): SubmittedPage {
  const { database, keyring, hasher, clock } = deps
  const { app, pending, request, choice, consent, to, ticket } = open
  return {
    app,
    pending,
    request,
    counted: choice.counted,
    to,
    claim: hasher.hash('pending', `choosing ${ticket}`),
    keep: (completed) =>
      settleConsent(database, keyring, consent, clock.now(), writeChoice(request, { kind: 'chosen', completed })),
    end: () => deleteConsent(database, consent),
    completed: async () => {
      const now = await openChoice(deps, ticket, pending.browser)
      return 'completed' in now ? now.completed : undefined
    },
  }
}

async function endChoice(deps: SignInDeps, { app, consent, choice, pending }: OpenChoice): Promise<void> {
  await deleteConsent(deps.database, consent)
  await uncountSignIn(deps, app.id, choice.counted)
  const { service } = pending
  const { credential, tenants } = choice
  await revokeUnneeded(deps, { appId: app.id, service, nativeId: '', credential, tenants })
}

/** Undefined for what the page cannot help with. */
function problemOf(error: unknown): ChoiceProblem | undefined {
  if (error instanceof AuthorizeError) return error.reason === 'other_service_user' ? 'other_user' : undefined
  if (!(error instanceof UpstreamError)) return undefined
  return error.recovery === 'retry' ? 'unreachable' : 'refused'
}

async function openSubmitted(
  deps: SignInDeps,
  ticket: string,
  browser: Buffer | undefined,
): Promise<OpenChoice | CompletedChoice> {
  const open = await openChoice(deps, ticket, browser)
  const { operation, accountId } = open.request
  deps.trace.of({ appId: open.app.id, service: open.pending.service, operation, accountId })
  return open
}

interface CompletedChoice extends Pick<OpenChoice, 'app' | 'pending' | 'request' | 'to'> {
  completed: CompletedSignIn
}

/** Only the browser that signed in may choose, within ten minutes. */
async function openChoice(
  deps: IdentityDeps,
  ticket: string,
  browser: Buffer | undefined,
): Promise<OpenChoice | CompletedChoice> {
  const shard = ticketShard('trf', ticket)
  const found =
    shard === undefined ? undefined : await lockConsent(deps.database, deps.keyring, shard, choiceHash(deps, ticket))
  const consent = requireUsable(deps, found, browser)
  const app = await findApp(deps.database, consent.appId)
  const choice = readChoice(consent)
  const { request } = choice
  const described = deps.registry.find(consent.service)
  const tenants = described && tenantsOf(described.auth)
  if (app === undefined || described === undefined || tenants === undefined || consent.browser === undefined)
    throw new ApiError('session_expired')
  const { appId, service, expiresAt } = consent
  const pending: Pending = { appId, service, browser: consent.browser, value: '{}', expiresAt }
  const at = { app, pending, request, to: returnTo(request) }
  if (choice.kind === 'chosen') return { ...at, completed: choice.completed }
  return { ...at, ticket, described, tenants, consent, choice }
}

const idOf = ({ id }: Tenants, { facts }: Tenant): string => facts[id] ?? ''
