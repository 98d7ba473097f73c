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
import { carryCounted, endCounted } from './open-sign-ins.ts'
import type { PendingValue, ReturnTo } from './start.ts'
import { failureOf } from './upstream-failure.ts'

/** The query with which a service sent the person back; a name that came twice has a list. */
export type CallbackQuery = RawParameters

export type CallbackResult =
  | { kind: 'redirect'; to: ReturnTo; code: string }
  /** The person is asked first, on a page that this ticket opens. */
  | { kind: 'confirm'; ticket: string }
  | { kind: 'failed'; to: ReturnTo; error: AuthorizeError }

/** The service sent the browser back. Whatever comes of it, this state is used up. */
export async function finishAtCallback(
  deps: AuthorizeDeps,
  service: string,
  params: CallbackQuery,
  browser: Buffer | undefined,
): Promise<CallbackResult> {
  const { pending, app } = await take(deps, service, params, browser)
  const value = JSON.parse(pending.value) as PendingValue
  const to: ReturnTo = { redirectUri: value.redirectUri, state: value.state }
  try {
    const connector = deps.registry.find(pending.service)!
    const key = await findServiceKey(deps.database, deps.keyring, app.id, connector.service)
    if (key === undefined) throw new AuthorizeError('no_service_keys')
    const asks = value.responseType === 'token' || !(await mayJoinUnasked(deps, value.accountId, pending.browser))
    const signedIn = await finishSignIn(deps.upstream, {
      connector,
      key,
      callbackUrl: callbackUrl(deps, connector.service),
      secrets: value.upstream,
      params,
    })
    const ticket = await storeConsent(deps, pending, value, signedIn, asks ? 'confirm' : 'code')
    return asks ? { kind: 'confirm', ticket } : { kind: 'redirect', to, code: ticket }
  } catch (error) {
    await endCounted(deps, app.id, value.counted)
    return { kind: 'failed', to, error: failureOf(deps, error, service) }
  }
}

/**
 * Only the browser that began may finish, at the address of the service it began with, within ten minutes.
 * Nothing is sent to the service before all of this holds.
 */
async function take(
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
  const fits =
    pending !== undefined &&
    pending.service === service &&
    pending.expiresAt >= deps.clock.now() &&
    browser !== undefined &&
    timingSafeEqual(pending.browser, browser)
  const app = fits ? await findApp(deps.database, pending.appId) : undefined
  if (app === undefined || pending === undefined) {
    if (pending !== undefined) await reportRefused(deps, service, pending)
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

/** Before it is known which sign-in this is, there is only the person to tell. */
function onlyValue(params: CallbackQuery, name: string): string | undefined {
  try {
    return callbackParameters(params).get(name)
  } catch (error) {
    throw new ApiError('bad_parameter', `${name}: was given more than once.`, { cause: error })
  }
}

/**
 * Whoever sent the link chose the account. Only somebody who signed into it before, in this browser, knows whose it is;
 * others are asked first, whatever the app checks.
 */
async function mayJoinUnasked(
  { database }: AuthorizeDeps,
  accountId: string | undefined,
  browser: Buffer,
): Promise<boolean> {
  return accountId === undefined || hasSignedIn(database, browser, { shard: shardIn(accountId), id: accountId })
}

/** A sign-in that somebody tried to finish in the wrong place is worth a look. */
async function reportRefused({ database, clock }: AuthorizeDeps, service: string, pending: Pending): Promise<void> {
  await auditApp(database, pending.appId, {
    at: clock.now(),
    actor: 'person',
    action: 'callback.refused',
    detail: { began_at: pending.service, came_back_to: service },
  })
}

/** Nothing has changed for anybody yet: the sign-in waits, sealed, for its code to be redeemed. */
async function storeConsent(
  deps: AuthorizeDeps,
  pending: Pending,
  value: PendingValue,
  signedIn: SignedIn,
  kind: 'code' | 'confirm',
): Promise<string> {
  const user = { appId: pending.appId, service: pending.service, nativeId: signedIn.self.id }
  const shard = await chooseShard(deps, value.accountId ?? (await findServiceUser(deps.database, user))[0])
  const ticket = newTicket(kind === 'code' ? 'trc' : 'trf', shard)
  const counted = await carryCounted(deps, pending.appId, value.counted)
  const content: ConsentValue = { signedIn, state: value.state, responseType: value.responseType, counted }
  const kept = await insertConsent(deps.database, deps.keyring, {
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
  if (!kept) throw new ApiError('session_expired')
  return ticket
}

/** Beside the account it will join, so that redeeming touches one part; anywhere when it will make a new one. */
async function chooseShard({ database }: AuthorizeDeps, accountId: string | undefined): Promise<number> {
  const account = accountId === undefined ? undefined : await findAccountById(database, accountId)
  return account?.shard ?? randomShard()
}
