import { timingSafeEqual } from 'node:crypto'
import type { SignedIn } from '#kit/auth.ts'
import { newTicket } from '#model/access-token.ts'
import type { App } from '#model/app.ts'
import { ApiError } from '#model/errors.ts'
import { randomShard, shardIn } from '#platform/ids.ts'
import { findApp } from '#store/apps/apps.ts'
import { findServiceKey } from '#store/apps/service-keys.ts'
import { auditApp } from '#store/audit.ts'
import { findAccountById } from '#store/identity/accounts.ts'
import { hasSignedIn, insertConsent } from '#store/identity/consents.ts'
import { type Pending, takePending } from '#store/identity/pending.ts'
import { findServiceUser } from '#store/identity/service-users.ts'
import { callbackParameters, type RawParameters } from '#upstream/callback-parameters.ts'
import { finishSignIn } from '#upstream/sign-in.ts'
import type { ConsentValue } from './consent-value.ts'
import { type AuthorizeDeps, callbackUrl, TEN_MINUTES_MS } from './deps.ts'
import { AuthorizeError } from './errors.ts'
import { recountSignIn, uncountSignIn } from './open-sign-ins.ts'
import { toAuthorizeError } from './sign-in-failure.ts'
import type { PendingValue, ReturnTo } from './start.ts'

/** The query of the callback; a repeated parameter has a list. */
export type CallbackQuery = RawParameters

export type CallbackResult =
  | { kind: 'redirect'; to: ReturnTo; code: string }
  /** The person must consent first, on the page of this ticket. */
  | { kind: 'confirm'; ticket: string }
  | { kind: 'failed'; to: ReturnTo; error: AuthorizeError }

/** Handles the callback of a service. The `state` can be used once, whatever the result. */
export async function handleCallback(
  deps: AuthorizeDeps,
  service: string,
  params: CallbackQuery,
  browser: Buffer | undefined,
): Promise<CallbackResult> {
  const { pending, app } = await takePendingSignIn(deps, service, params, browser)
  const value = JSON.parse(pending.value) as PendingValue
  const to: ReturnTo = { redirectUri: value.redirectUri, state: value.state }
  try {
    const connector = deps.registry.find(pending.service)!
    const key = await findServiceKey(deps.database, deps.keyring, app.id, connector.service)
    if (key === undefined) throw new AuthorizeError('no_service_keys')
    const needsConsent =
      value.responseType === 'token' || !(await mayJoinWithoutPrompt(deps, value.accountId, pending.browser))
    const signedIn = await finishSignIn(deps.upstream, {
      connector,
      key,
      callbackUrl: callbackUrl(deps, connector.service),
      secrets: value.upstream,
      params,
    })
    const ticket = await storeConsent(deps, pending, value, signedIn, needsConsent ? 'confirm' : 'code')
    return needsConsent ? { kind: 'confirm', ticket } : { kind: 'redirect', to, code: ticket }
  } catch (error) {
    await uncountSignIn(deps, app.id, value.counted)
    return { kind: 'failed', to, error: toAuthorizeError(deps, error, service) }
  }
}

/**
 * Only the browser that started the sign-in may finish it, at the callback of the same service, within ten minutes.
 * Nothing is sent to the service before this is checked.
 */
async function takePendingSignIn(
  deps: AuthorizeDeps,
  service: string,
  params: CallbackQuery,
  browser: Buffer | undefined,
): Promise<{ pending: Pending; app: App }> {
  const [state, token, denied] = ['state', 'oauth_token', 'denied'].map((name) => onlyValue(params, name))
  const requestToken = token ?? denied
  const name =
    state !== undefined ? `state ${state}` : requestToken === undefined ? undefined : `token ${service} ${requestToken}`
  const pending =
    name === undefined ? undefined : await takePending(deps.database, deps.keyring, deps.hasher.hash('pending', name))
  const isValid =
    pending !== undefined &&
    pending.service === service &&
    pending.expiresAt >= deps.clock.now() &&
    browser !== undefined &&
    timingSafeEqual(pending.browser, browser)
  const app = isValid ? await findApp(deps.database, pending.appId) : undefined
  if (app === undefined || pending === undefined) {
    if (pending !== undefined) await auditRefusedCallback(deps, service, pending)
    deps.log.warn('a callback was refused', {
      service,
      known: pending !== undefined,
      right_service: pending?.service === service,
      has_cookie: browser !== undefined,
    })
    throw new ApiError('session_expired')
  }
  return { pending, app }
}

/** Fails on a page: the app's redirect address is not known before the sign-in is found. */
function onlyValue(params: CallbackQuery, name: string): string | undefined {
  try {
    return callbackParameters(params).get(name)
  } catch (error) {
    throw new ApiError('bad_parameter', `${name}: was given more than once.`, { cause: error })
  }
}

/**
 * The account comes from the authorization request, and an attacker may have sent its link. Only a person who signed in
 * to the account before, in this browser, knows whose it is; everybody else must consent first.
 */
async function mayJoinWithoutPrompt(
  { database }: AuthorizeDeps,
  accountId: string | undefined,
  browser: Buffer,
): Promise<boolean> {
  return accountId === undefined || hasSignedIn(database, browser, { shard: shardIn(accountId), id: accountId })
}

/** A callback with the wrong browser, service or time may be an attack. */
async function auditRefusedCallback(
  { database, clock }: AuthorizeDeps,
  service: string,
  pending: Pending,
): Promise<void> {
  await auditApp(database, pending.appId, {
    at: clock.now(),
    actor: 'person',
    action: 'callback.refused',
    detail: { began_at: pending.service, came_back_to: service },
  })
}

/** Stores the sign-in, sealed, until its code is exchanged. The account does not change before. */
async function storeConsent(
  deps: AuthorizeDeps,
  pending: Pending,
  value: PendingValue,
  signedIn: SignedIn,
  kind: 'code' | 'confirm',
): Promise<string> {
  const user = { appId: pending.appId, service: pending.service, nativeId: signedIn.self.id }
  const shard = await shardForConsent(deps, value.accountId ?? (await findServiceUser(deps.database, user))[0])
  const ticket = newTicket(kind === 'code' ? 'trc' : 'trf', shard)
  const counted = await recountSignIn(deps, pending.appId, value.counted)
  const content: ConsentValue = { signedIn, state: value.state, responseType: value.responseType, counted }
  const isStored = await insertConsent(deps.database, deps.keyring, {
    shard,
    hash: deps.hasher.hash(kind, ticket),
    kind,
    appId: pending.appId,
    service: pending.service,
    nativeId: signedIn.self.id,
    accountId: value.accountId,
    redirectUri: value.redirectUri,
    codeChallenge: value.codeChallenge,
    browser: pending.browser,
    value: JSON.stringify(content),
    expiresAt: deps.clock.now() + TEN_MINUTES_MS,
  })
  if (!isStored) throw new ApiError('session_expired')
  return ticket
}

/**
 * The shard of the account it will join, so that the code exchange touches one shard; a random one for a new account.
 */
async function shardForConsent({ database }: AuthorizeDeps, accountId: string | undefined): Promise<number> {
  const account = accountId === undefined ? undefined : await findAccountById(database, accountId)
  return account?.shard ?? randomShard()
}
