import { timingSafeEqual } from 'node:crypto'
import { markNeedsAuth } from '#access/needs-auth.ts'
import { registrationKeyOf } from '#access/register-app.ts'
import { findServiceAccess, forgetRefusedKey } from '#access/service-access.ts'
import { writeConsent } from '#identity/consent-value.ts'
import { type IdentityDeps, type SignInDeps, TEN_MINUTES_MS } from '#identity/deps.ts'
import { AuthorizeError, noServiceKeys } from '#identity/errors.ts'
import { type CountedSignIn, recountSignIn, uncountSignIn } from '#identity/open-sign-ins.ts'
import { isAtService, readPending, type SignInAtService, type SignInRequest } from '#identity/pending-value.ts'
import { checkServiceUser, reconnectNow } from '#identity/reconnect.ts'
import { awaitGrantRevocation, revokeUnneeded } from '#identity/revoke-token.ts'
import { registrationNow } from '#identity/sign-in-access.ts'
import { uploadOf } from '#identity/upload-credential.ts'
import type { SignedIn } from '#kit/auth/auth.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { callbackAddress } from '#kit/connector/service-addresses.ts'
import { mayFindAccount } from '#kit/connector/who-vouches.ts'
import { newTicket } from '#model/accounts/access-token.ts'
import type { Profile } from '#model/accounts/profile.ts'
import type { App } from '#model/apps/app.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import { SIGN_IN_LOG_REASONS } from '#model/operation.ts'
import { randomShard, shardIn } from '#platform/crypto/ids.ts'
import { findApp } from '#store/apps/apps.ts'
import { useRegistration } from '#store/apps/registrations.ts'
import { auditStrangers } from '#store/audit.ts'
import { findAccountById } from '#store/identity/accounts.ts'
import { findConnectSession } from '#store/identity/connect-sessions.ts'
import { type Consent, deleteConsent, hasSignedIn, insertConsent } from '#store/identity/consents.ts'
import { type Pending, takePending } from '#store/identity/pending.ts'
import { findServiceUser } from '#store/identity/service-users.ts'
import { readSelf } from '#upstream/call/read-self.ts'
import { callbackParameters, type RawParameters } from '#upstream/callback-parameters.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import type { ServiceKey } from '#upstream/request/service-key.ts'
import { finishSignIn, TenantChoice } from '#upstream/sign-in.ts'
import { askForTenant } from './ask-for-tenant.ts'
import type { CompletedOutcome, OutcomeOf } from './outcome.ts'
import { type ReturnTo, returnTo } from './return-to.ts'
import { toAuthorizeError } from './sign-in-failure.ts'

/** The query of the callback; a repeated parameter has a list. */
export type CallbackQuery = RawParameters

/** The callback that a browser came to: of a service, and of one registration where the service has several servers. */
export interface CallbackAddress {
  service: string
  registration: string | undefined
}

/** Handles the callback of a service. The `state` can be used once, whatever the result. */
export async function handleCallback(
  deps: SignInDeps,
  at: CallbackAddress,
  params: CallbackQuery,
  browser: Buffer | undefined,
): Promise<OutcomeOf<'sent' | 'posted'>> {
  const { service } = at
  const { pending, app, value } = await takePendingSignIn(deps, at, params, browser)
  const { request, counted, secrets } = value
  const { instance, subject } = value.kind === 'forwarded' ? { instance: undefined, subject: undefined } : value
  const to = returnTo(request)
  try {
    const described = deps.registry.find(pending.service)
    const access = described && (await findServiceAccess(deps, app.id, described, instance))
    if (access === undefined) throw noServiceKeys(app.id, pending.service)
    const { connector, key } = access
    const named = value.kind === 'forwarded' ? value.secrets.values : instance
    if (registrationNow(app.id, access, named) !== value.registration) throw otherRegistration()
    const beganAt = deps.clock.now()
    const signedIn = await finishSignIn(deps.upstream, {
      connector,
      key,
      callbackUrl: callbackAddress(deps.config.baseUrl, connector.service, at.registration),
      secrets,
      params: value.kind === 'posted' ? value.posted : params,
      instance,
      subject,
    }).catch(async (error: unknown) => {
      if (error instanceof UpstreamError) await forgetRefusedKey(deps, app.id, connector, instance, error)
      throw error
    })
    if (instance !== undefined)
      await useRegistration(deps.database, registrationKeyOf(app.id, connector, instance), deps.clock.now())
    return await completeSignIn(deps, { app, pending, request, counted, to }, { connector, key, signedIn }, beganAt)
  } catch (error) {
    if (error instanceof TenantChoice) return askForTenant(deps, { app, pending, request, counted }, error)
    await uncountSignIn(deps, app.id, counted)
    return { kind: 'failed', to, error: toAuthorizeError(deps, error, service) }
  }
}

/** A sign-in whose person came back. */
export interface ReturnedSignIn {
  app: App
  pending: Pending
  request: SignInRequest
  counted: CountedSignIn | undefined
  to: ReturnTo
}

/**
 * Goes on after the service said who the person is: with a code, a question to the person, or the profile to reconnect. The
 * token of a sign-in that fails here is ended, unless something that was stored has it.
 */
export async function completeSignIn(
  deps: SignInDeps,
  returned: ReturnedSignIn,
  finished: FinishedSignIn,
  beganAt: number,
): Promise<CompletedOutcome> {
  try {
    return await goOn(deps, returned, finished, beganAt)
  } catch (error) {
    if (hasEnded(error)) throw error
    const { service } = returned.pending
    const { self, credential } = finished.signedIn
    await revokeUnneeded(deps, { appId: returned.app.id, service, nativeId: self.id, credential }).catch(
      (failure: unknown) => {
        deps.log.warn('the token of a failed sign-in could not be ended', { service, error: failure })
      },
    )
    throw error
  }
}

async function goOn(
  deps: SignInDeps,
  { app, pending, request, counted, to }: ReturnedSignIn,
  { connector, key, signedIn }: FinishedSignIn,
  beganAt: number,
): Promise<CompletedOutcome> {
  const needsConsent =
    request.responseType === 'token' ||
    mayBeImpersonated(app, to) ||
    !(await mayJoinWithoutPrompt(deps, request.accountId, pending.browser))
  if (request.began === 'reconnect') {
    const input = { appId: app.id, service: pending.service, signedIn, reconnect: request.reconnect }
    await checkServiceUser(deps, input)
    if (!needsConsent) {
      const profile = await reconnectNow(deps, input)
      await verifyReconnected(deps, { connector, key, signedIn }, profile, beganAt)
      await uncountSignIn(deps, app.id, counted)
      deps.trace.of({ appId: app.id, accountId: profile.accountId, profileId: profile.id })
      deps.trace.done('The profile is connected again.')
      return { kind: 'reconnected', to, account: request.reconnect.account }
    }
  }
  if (request.began === 'session') await checkSession(deps, request.session)
  const { ticket, stored } = await storeConsent(
    deps,
    { pending, request, counted },
    signedIn,
    needsConsent ? 'confirm' : 'code',
  )
  await verifyAfterRevocation(deps, { connector, key, signedIn }, stored, beganAt)
  if (needsConsent) deps.trace.awaits('The person was asked to confirm on our page.', 'abandoned', stored.expiresAt)
  else deps.trace.awaits('The app got a code and has not exchanged it.', 'code_unused', stored.expiresAt)
  return needsConsent ? { kind: 'confirming', ticket } : { kind: 'coded', to, code: ticket }
}

/** The app may have revoked the session meanwhile. */
async function checkSession(deps: IdentityDeps, session: string): Promise<void> {
  const found = await findConnectSession(deps.database, deps.keyring, shardIn(session), session)
  if (found !== undefined && found.revokedAt === undefined) return
  throw new AuthorizeError('access_denied', { description: 'The connect session was revoked.' })
}

const otherRegistration = () =>
  new UpstreamError('stop', 'The keys or addresses of the app changed during the sign-in', {
    reason: 'issuer_mismatch',
  })

/**
 * Only the browser that started the sign-in may finish it, at the callback of the same service and registration, within ten
 * minutes. Nothing is sent to the service before this is checked.
 */
async function takePendingSignIn(
  deps: SignInDeps,
  at: CallbackAddress,
  params: CallbackQuery,
  browser: Buffer | undefined,
): Promise<{ pending: Pending; app: App; value: SignInAtService }> {
  const { service } = at
  const name = pendingName(service, params)
  const pending =
    name === undefined ? undefined : await takePending(deps.database, deps.keyring, deps.hasher.hash('pending', name))
  const value = pending && readPending(pending)
  const isValid =
    pending !== undefined &&
    isAt(pending, at) &&
    pending.expiresAt >= deps.clock.now() &&
    browser !== undefined &&
    timingSafeEqual(pending.browser, browser)
  const app = isValid ? await findApp(deps.database, pending.appId) : undefined
  if (app === undefined || pending === undefined || value === undefined || !isAtService(value)) {
    if (pending !== undefined) {
      logRefusedCallback(deps, at, pending, browser)
      await auditRefusedCallback(deps, at, pending)
    }
    deps.log.warn('a callback was refused', {
      service,
      known: pending !== undefined,
      right_service: pending !== undefined && isAt(pending, at),
      has_cookie: browser !== undefined,
    })
    throw new ApiError('session_expired')
  }
  const { operation, accountId } = value.request
  deps.trace.of({ appId: app.id, service, operation, accountId })
  return { pending, app, value }
}

/** Whether the browser came to the redirect address that the sign-in gave to its service. */
export function isAt(pending: Pending, { service, registration }: CallbackAddress): boolean {
  const value = readPending(pending)
  return pending.service === service && isAtService(value) && value.registration === registration
}

/** Which of the checks refused it: the developer of the app sees it, the person only that the sign-in is over. */
function logRefusedCallback(
  { trace, clock }: SignInDeps,
  at: CallbackAddress,
  pending: Pending,
  browser: Buffer | undefined,
): void {
  trace.of({ appId: pending.appId, service: pending.service, operation: readPending(pending).request.operation })
  if (!isAt(pending, at)) trace.stop('refused', 'other_service', SIGN_IN_LOG_REASONS.other_service)
  else if (pending.expiresAt < clock.now()) trace.stop('refused', 'expired', SIGN_IN_LOG_REASONS.expired)
  else trace.stop('refused', 'other_browser', SIGN_IN_LOG_REASONS.other_browser, { has_cookie: browser !== undefined })
}

/** The name under which the sign-in of a callback is stored. */
function pendingName(service: string, params: CallbackQuery): string | undefined {
  const [state, token, denied, posted] = ['state', 'oauth_token', 'denied', 'posted'].map((each) =>
    onlyValue(params, each),
  )
  if (state !== undefined) return `state ${state}`
  if (posted !== undefined) return `posted ${posted}`
  const requestToken = token ?? denied
  return requestToken === undefined ? undefined : `token ${service} ${requestToken}`
}

/**
 * Other programs on the device can receive redirects to a loopback address or a private scheme, and a public app proves
 * nothing when it exchanges the code. So the person sees the app's name first (RFC 8252 8.6).
 */
function mayBeImpersonated(app: App, { redirectUri }: ReturnTo): boolean {
  return app.isPublic && !redirectUri.startsWith('https:')
}

/** Fails on a page: the app's redirect address is not known before the sign-in is found. */
function onlyValue(params: CallbackQuery, name: string): string | undefined {
  try {
    return callbackParameters(params).get(name)
  } catch (error) {
    throw invalidInput('bad_parameter', name, 'was given more than once.', error)
  }
}

/**
 * The account comes from the authorization request, and an attacker may have sent its link. Only a person who signed in
 * to the account before, in this browser, knows whose it is; everybody else must consent first.
 */
async function mayJoinWithoutPrompt(
  { database }: IdentityDeps,
  accountId: string | undefined,
  browser: Buffer,
): Promise<boolean> {
  return accountId === undefined || hasSignedIn(database, browser, { shard: shardIn(accountId), id: accountId })
}

/** A callback with the wrong browser, service or time may be an attack. */
async function auditRefusedCallback(
  { database, clock }: IdentityDeps,
  { service, registration }: CallbackAddress,
  pending: Pending,
): Promise<void> {
  const value = readPending(pending)
  const began = isAtService(value) ? value.registration : undefined
  await auditStrangers(database, pending.appId, {
    at: clock.now(),
    actor: 'person',
    action: 'callback.refused',
    detail: {
      began_at: pending.service,
      came_back_to: service,
      ...(began === registration
        ? {}
        : { began_registration: began ?? '', came_back_registration: registration ?? '' }),
    },
  })
}

/** Stores the sign-in, sealed, until its code is exchanged. The account does not change before. */
async function storeConsent(
  deps: IdentityDeps,
  { pending, request, counted }: Pick<ReturnedSignIn, 'pending' | 'request' | 'counted'>,
  signedIn: SignedIn,
  kind: 'code' | 'confirm',
): Promise<{ ticket: string; stored: Consent }> {
  const { appId, service } = pending
  // What finds no account is not stored where it could be looked up.
  const nativeId = mayFindAccount(deps.registry, service) ? signedIn.self.id : ''
  const known = async () =>
    nativeId === '' ? undefined : (await findServiceUser(deps.database, { appId, service, nativeId }))[0]
  // A new account is created in the shard of its consent, where the uploaded file is.
  const shard =
    uploadOf(signedIn.credential)?.shard ?? (await shardForConsent(deps, request.accountId ?? (await known())))
  const ticket = newTicket(kind === 'code' ? 'trc' : 'trf', shard)
  const recounted = await recountSignIn(deps, pending.appId, counted)
  const stored: Consent = {
    shard,
    hash: deps.hasher.hash(kind, ticket),
    kind,
    appId: pending.appId,
    service: pending.service,
    nativeId,
    accountId: request.accountId,
    redirectUri: request.redirectUri,
    codeChallenge: request.codeChallenge,
    browser: pending.browser,
    value: writeConsent({ kind: 'signed-in', request, signedIn, counted: recounted }),
    expiresAt: deps.clock.now() + TEN_MINUTES_MS,
  }
  const isStored = await deps.database.transaction((tx) => insertConsent(tx, deps.keyring, stored))
  if (!isStored) throw new ApiError('session_expired')
  return { ticket, stored }
}

export interface FinishedSignIn {
  connector: Connector
  key: ServiceKey
  signedIn: SignedIn
}

/** A revocation that ran while this sign-in finished may have ended its token: then the person signs in again. */
async function verifyAfterRevocation(
  deps: IdentityDeps,
  { connector, key, signedIn }: FinishedSignIn,
  stored: Consent,
  beganAt: number,
): Promise<void> {
  if (!(await awaitGrantRevocation(deps, connector, stored, beganAt))) return
  const { credential } = signedIn
  try {
    await readSelf({ upstream: deps.upstream, connector, key, credential })
  } catch (error) {
    await deleteConsent(deps.database, stored)
    throw error
  }
}

const hasEnded = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamError && error.recovery === 'reauthorize'

/** The same for a profile that was connected again without a consent. */
async function verifyReconnected(
  deps: IdentityDeps,
  { connector, key, signedIn: { credential } }: FinishedSignIn,
  profile: Profile,
  beganAt: number,
): Promise<void> {
  if (!(await awaitGrantRevocation(deps, connector, profile, beganAt))) return
  try {
    await readSelf({ upstream: deps.upstream, connector, key, credential })
  } catch (error) {
    if (hasEnded(error)) await markNeedsAuth(deps, profile, error)
    throw error
  }
}

/**
 * The shard of the account it will join, so that the code exchange touches one shard; a random one for a new account.
 */
async function shardForConsent({ database }: IdentityDeps, accountId: string | undefined): Promise<number> {
  const account = accountId === undefined ? undefined : await findAccountById(database, accountId)
  return account?.shard ?? randomShard()
}
